import { X509Certificate } from 'node:crypto';
import type { TrustBundle } from '../authority/certificate-authority.js';

/**
 * What a change of the authority means for certificates that it issued before: nothing, when it would issue the same
 * now, as after a root was followed by one of its name and key (`same`); that it would issue them by another way
 * (`old`); or that they do not verify with the present roots (`useless`).
 */
export type BundleVerdict = 'same' | 'old' | 'useless';

/** @param issuing what the authority had when it issued them */
export type BundleJudge = (issuing: TrustBundle, present: TrustBundle) => BundleVerdict;

/** A judge that thinks once about a change, however many certificates it is asked of. */
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
