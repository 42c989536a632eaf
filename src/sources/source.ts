import type { ChangeBatch } from '../model/object-change.js';

/**
 * Something that objects come from: a folder, a cluster, a registry. It hands over typed, validated
 * objects and never anything half-read.
 */
export interface Source {
  readonly name: string;
  /**
   * Starts delivering batches. The promise settles when the first complete state has been handed over
   * (the source is synced), or rejects with the reason why it never can be.
   */
  start(deliver: (batch: ChangeBatch) => void): Promise<void>;
  stop(): Promise<void>;
}
