import type { MeshObject, ObjectKey } from '../../config/object.js';
import { sourceKeysOf } from '../../model/derived/source-keys.js';
import type { AnalysisMessage } from './analysis-message.js';
import { MESSAGE_CODES } from './message-codes.js';

/** Families find these problems of their sources themselves, and name the field of the source. */
const TOLD_OF_SOURCES: ReadonlySet<string> = new Set(
  (['missingReference', 'unreachableRoute', 'destinationWithoutPort', 'hostWithoutServer'] as const).map(
    (name) => MESSAGE_CODES[name].code,
  ),
);

/** Messages about objects that are made from others name these others, which users can change. */
export function nameSources(
  messages: readonly AnalysisMessage[],
  objects: ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>>,
): readonly AnalysisMessage[] {
  return messages.flatMap((message) => {
    const { object, field, ...rest } = message;
    const sources = object === undefined ? [] : sourceKeysOf({ objects }, object);
    if (object === undefined || sources.length === 0) return [message];
    if (TOLD_OF_SOURCES.has(message.code)) return [];
    const [kind = '', namespace = '', name = ''] = object.split('/');
    const place = field === undefined ? '' : `${field} `;
    const text = `${place}of ${kind} ${namespace}/${name}, which is made from it: ${message.message}`;
    return sources.map((source) => ({ ...rest, object: source, message: text }));
  });
}
