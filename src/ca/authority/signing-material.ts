import type { KeyObject, X509Certificate } from 'node:crypto';

/** The key and certificates of an authority, as `checkMaterial` returns them. */
export interface SigningMaterial {
  readonly privateKey: KeyObject;
  /** Its subject is the issuer of signed certificates. */
  readonly certificate: X509Certificate;
  /** The chain from `certificate` up to, not including, its root; empty if `certificate` is the root. */
  readonly intermediates: readonly X509Certificate[];
  /** All trusted roots, the root of `certificate` first. */
  readonly roots: readonly X509Certificate[];
  /** When the first certificate of the chain expires. */
  readonly notAfter: Date;
}

/** The same as PEM texts, as folders and secrets hold it. Never log it. */
export interface MaterialTexts {
  readonly privateKey: string;
  readonly certificate: string;
  /** Certificates between `certificate` and its root; may be empty, and may include both of them. */
  readonly chain: string;
  /** Roots. */
  readonly roots: string;
}

/** A problem that makes material unusable. */
export interface MaterialProblem {
  readonly part: keyof MaterialTexts;
  /** `is not a CA: …`; the part is the subject of the sentence. */
  readonly problem: string;
  readonly remedy: string;
}
