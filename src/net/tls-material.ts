/** Certificate and key of a server, PEM. */
export interface ServerCertificate {
  readonly privateKey: string;
  /** The leaf certificate, then the intermediate certificates. */
  readonly certificateChain: string;
}

export interface TlsMaterial {
  readonly certificate: ServerCertificate;
  /** Roots that verify the certificates of clients, PEM; empty if no client certificates are requested. */
  readonly clientRoots: readonly string[];
}

/** TLS material that changes at run time. Connections made after a change use the new material. */
export interface TlsMaterialSource {
  /** Undefined until material exists; until then, connections are rejected. */
  current(): TlsMaterial | undefined;
  /** @returns stops the notifications */
  onChange(listener: () => void): () => void;
}
