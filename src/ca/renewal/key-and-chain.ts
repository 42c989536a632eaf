/**
 * A private key with its certificates. Copies of it as JSON, and what `inspect` and loggers print, have no key.
 */
export class KeyAndChain {
  readonly #privateKey: string;
  /** PEM: the leaf, then its intermediates. */
  readonly certificateChain: string;
  readonly notAfter: Date;

  constructor(privateKey: string, certificateChain: string, notAfter: Date) {
    this.#privateKey = privateKey;
    this.certificateChain = certificateChain;
    this.notAfter = notAfter;
  }

  /** PEM, PKCS #8. */
  get privateKey(): string {
    return this.#privateKey;
  }
}
