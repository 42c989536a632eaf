import type { ObjectKey } from '../../../config/object.js';
import type { EntryOffence } from '../../../model/entries/entry-offences.js';
import type { Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';

/** ServiceEntries that affect only their own namespace, because they claim hosts or addresses of other namespaces. */
export const findConfinedEntries: Analyzer = ({ entryOffences }) =>
  [...entryOffences].flatMap(([object, offences]) => confinedEntryMessages(object, offences));

export function confinedEntryMessages(
  object: ObjectKey,
  offences: readonly EntryOffence[],
): readonly AnalysisMessage[] {
  return offences.map(({ path, value, message, remedy }) => {
    const text = `${JSON.stringify(value)} ${message}: ${remedy}`;
    return createMessage('confinedEntry', { object, field: `spec.${path}` }, text);
  });
}
