import { X509Certificate } from 'node:crypto';
import type { TrustBundle } from '../authority/certificate-authority.js';

/**
 * The effect of a change of the authority on certificates that it issued before:
 * - `same`: they stay as they are, because the authority would issue the same chain now;
 * - `old`: they still verify, but the authority now issues another chain;
 * - `useless`: they do not verify with the present roots.
 */
export type BundleVerdict = 'same' | 'old' | 'useless';

/** @param issuing the bundle of the authority when it issued the certificate */
export type BundleJudge = (issuing: TrustBundle, present: TrustBundle) => BundleVerdict;

/** Creates a judge that evaluates each change once, however many certificates ask. */
export function createBundleJudge(): BundleJudge {
  const verdicts = new WeakMap<TrustBundle, { readonly present: TrustBundle; readonly verdict: BundleVerdict }>();
  return (issuing, present) => {
    const known = verdicts.get(issuing);
    if (known?.present === present) return known.verdict;
    const verdict = judge(issuing, present);
    verdicts.set(issuing, { present, verdict });
    return verdict;
  };
}

function judge(issuing: TrustBundle, present: TrustBundle): BundleVerdict {
  const [before] = issuing.roots;
  if (before === undefined) return 'useless';
  const old = new X509Certificate(before);
  const verifiesTheSame = (root: string): boolean => {
    const other = new X509Certificate(root);
    return other.subject === old.subject && other.publicKey.equals(old.publicKey);
  };
  if (!present.roots.some(verifiesTheSame)) return 'useless';
  const isSamePath = issuing.intermediates.join('') === present.intermediates.join('');
  return isSamePath && present.roots.slice(0, 1).some(verifiesTheSame) ? 'same' : 'old';
}
