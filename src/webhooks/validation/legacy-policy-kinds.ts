import type { AdmissionRequest } from '../admission/admission-request.js';
import type { Verdict } from './verdict.js';

/** Kinds of the policy adapters of old, which nothing here reads (BEHAVIOUR 3, "Validation"). */
const KINDS: ReadonlySet<string> = new Set(['rule', 'attributemanifest', 'adapter', 'handler', 'instance', 'template']);

export function isLegacyPolicyKind({ kind: { group, kind } }: AdmissionRequest, meshDomain: string): boolean {
  return group === `config.${meshDomain}` && KINDS.has(kind);
}

/** They pass unread; only a deletion of nothing is refused. */
export function judgeLegacyPolicy({ operation, name }: AdmissionRequest): Verdict {
  switch (operation) {
    case 'CREATE':
    case 'UPDATE':
      return { type: 'passed', unknownFields: [] };
    case 'DELETE':
      if (name !== '') return { type: 'passed', unknownFields: [] };
      return {
        type: 'refused',
        reason: 'unknown_type',
        message: 'illformed request: name not found on delete request',
      };
    default:
      return { type: 'unsupported', reason: 'unsupported_operation' };
  }
}
