import type { X509Certificate } from 'node:crypto';
import { chainEndMs } from './verify-chain.js';

/** Whether a leaf chains to one of the roots at a time. */
export type ChainsTo = (leaf: X509Certificate, roots: readonly X509Certificate[], now: Date) => boolean;

interface Verified {
  /** The very list: another one, with the same roots or others, is asked for anew. */
  readonly roots: readonly X509Certificate[];
  readonly endMs: number;
}

/**
 * Verifies the chain of each leaf once for as long as the leaf's object lives, the roots stay the same list and no
 * certificate of the chain runs out: two signatures take 0.3 ms, and a connection may open a thousand streams. A chain
 * that does not verify is not remembered.
 */
export function createChainMemory(): ChainsTo {
  const known = new WeakMap<X509Certificate, Verified>();
  return (leaf, roots, now) => {
    const verified = known.get(leaf);
    if (verified?.roots === roots && now.getTime() <= verified.endMs) return true;
    const endMs = chainEndMs(leaf, roots, now);
    if (endMs === undefined) return false;
    known.set(leaf, { roots, endMs });
    return true;
  };
}
