import type { ServerCertificate } from '../../net/tls-material.js';

/** The certificate that this server presents on :15012 and :15017. */
export interface ServerCertificateSource {
  /** Undefined until there is a certificate. */
  current(): ServerCertificate | undefined;
  /** Roots that verify it, as one PEM text for `caBundle` of webhooks before base64; undefined until known. */
  caBundle(): string | undefined;
  /** Called when the certificate or the roots change. @returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  /**
   * Settles when there is a certificate. If only time can bring one, it settles after the first attempt.
   *
   * @throws ServerCertificateError
   */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** No certificate is available. The message names the setting, the file, the problem and the remedy. */
export class ServerCertificateError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServerCertificateError';
  }
}
