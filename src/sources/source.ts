import type { ChangeBatch } from '../model/object-change.js';

/**
 * A source of objects: a folder, a cluster, a registry. It emits typed, validated objects, and only whole states of
 * them.
 */
export interface Source {
  readonly name: string;
  /**
   * Starts to deliver batches. The promise settles after the first complete state has been delivered. It rejects when
   * the source can never deliver, with the reason.
   */
  start(deliver: (batch: ChangeBatch) => void): Promise<void>;
  stop(): Promise<void>;
}
