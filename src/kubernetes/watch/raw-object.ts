import { isRecord } from '../../base/record.js';

/** An object as the API server sends it, as far as the watching itself reads it. */
export interface RawObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion: string;
  };
}

/** Whether something that claims to be an object has what watching needs. */
export function isRawObject(value: unknown): value is RawObject {
  if (!isRecord(value) || !isRecord(value['metadata'])) return false;
  const { name, resourceVersion } = value['metadata'];
  return typeof name === 'string' && typeof resourceVersion === 'string';
}
