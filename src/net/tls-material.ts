/** What a server presents, PEM. */
export interface ServerCertificate {
  readonly privateKey: string;
  /** The leaf, then its intermediates. */
  readonly certificateChain: string;
}

export interface TlsMaterial {
  readonly certificate: ServerCertificate;
  /** Roots that clients' certificates are verified against, PEM; empty where none are asked for. */
  readonly clientRoots: readonly string[];
}

/** TLS material that changes at run time: connections made after a change get the new one. */
export interface TlsMaterialSource {
  /** Undefined until there is any; connections are refused so long. */
  current(): TlsMaterial | undefined;
  /** @returns ends it. */
  onChange(listener: () => void): () => void;
}
