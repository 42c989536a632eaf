import { X509Certificate } from 'node:crypto';
import type { TrustBundle } from '../authority/certificate-authority.js';

/**
 * What a change of the authority means for a certificate that it issued before: nothing (`same`), as when a root was
 * followed by one of its key; that it would issue it by another way now (`old`); or that it does not verify with the
 * present roots (`useless`).
 *
 * @param chain PEM: the leaf, then its intermediates
 */
export function judgeChain(
  chain: readonly string[],
  { roots, intermediates }: TrustBundle,
): 'same' | 'old' | 'useless' {
  const top = new X509Certificate(chain.at(-1) ?? '');
  const isBelow = (root: string): boolean => {
    const issuer = new X509Certificate(root);
    return top.checkIssued(issuer) && top.verify(issuer.publicKey);
  };
  if (!roots.some(isBelow)) return 'useless';
  const isSamePath = intermediates.join('') === chain.slice(1).join('');
  return isSamePath && roots.slice(0, 1).some(isBelow) ? 'same' : 'old';
}
