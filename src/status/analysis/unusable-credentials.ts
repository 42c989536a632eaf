import type { CredentialProblem } from '../../model/gateways/credential.js';
import { type AnalysisMessage, createMessage, identityOf, sortMessages } from './analysis-message.js';

/** The credentials that connected routers need and cannot use. Each appears once for each field that names it; sorted. */
export function unusableCredentials(problems: readonly CredentialProblem[]): readonly AnalysisMessage[] {
  const messages = new Map<string, AnalysisMessage>();
  for (const { object, field, text } of problems) {
    const found = createMessage('unusableCredential', { object, field }, text);
    messages.set(identityOf(found), found);
  }
  return sortMessages([...messages.values()]);
}
