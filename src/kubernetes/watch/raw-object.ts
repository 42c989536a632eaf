import { isRecord } from '../../base/record.js';

/** The fields that the watch itself reads of an object of the API server. */
export interface RawObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion: string;
  };
}

/** Whether a value has the fields that the watch reads. */
export function isRawObject(value: unknown): value is RawObject {
  if (!isRecord(value) || !isRecord(value['metadata'])) return false;
  const { name, resourceVersion } = value['metadata'];
  return typeof name === 'string' && typeof resourceVersion === 'string';
}
