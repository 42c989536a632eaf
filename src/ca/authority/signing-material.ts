import type { KeyObject, X509Certificate } from 'node:crypto';

/** What an authority signs with, and what is verified against. Checked: see check-material.ts. */
export interface SigningMaterial {
  readonly privateKey: KeyObject;
  /** Whose subject is the issuer of what is signed. */
  readonly certificate: X509Certificate;
  /** From `certificate` up to below its root; empty where `certificate` is the root. */
  readonly intermediates: readonly X509Certificate[];
  /** Every root that is trusted, the one above `certificate` first. */
  readonly roots: readonly X509Certificate[];
  /** When the first of `certificate`, what is above it, and its root runs out. */
  readonly notAfter: Date;
}

/** The same as text, as folders and secrets hold it. Never log it. */
export interface MaterialTexts {
  readonly privateKey: string;
  readonly certificate: string;
  /** Certificates between `certificate` and its root; may be empty, and may have both of those in it as well. */
  readonly chain: string;
  /** Roots. */
  readonly roots: string;
}

/** Something that makes material unusable. */
export interface MaterialProblem {
  readonly part: keyof MaterialTexts;
  /** `is not a CA: …`; the subject of the sentence is the part. */
  readonly problem: string;
  readonly remedy: string;
}
