import type { ServerCertificate } from '../../net/tls-material.js';

/** The certificate that this server presents on :15012 and :15017, wherever it comes from. */
export interface ServerCertificateSource {
  /** Undefined until there is one. */
  current(): ServerCertificate | undefined;
  /** Roots that verify it, PEM in one text, as webhooks' `caBundle` has them before base64; undefined until known. */
  caBundle(): string | undefined;
  /** Called when either is another. @returns ends it. */
  onChange(listener: () => void): () => void;
  /**
   * Settles when there is one, or after the first attempt where only time can bring it.
   *
   * @throws ServerCertificateError
   */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** There is no certificate to present; the message names the setting, the file, the problem and the remedy. */
export class ServerCertificateError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServerCertificateError';
  }
}
