/** Where a listener binds. */
export interface ListenAddress {
  /** An IP address or host name; empty for every interface. IPv6 without brackets. */
  readonly host: string;
  /** 0 to 65535; 0 lets the system choose. */
  readonly port: number;
}

/**
 * Reads `host:port`, `:port` or `[v6]:port`.
 *
 * @throws Error that says what is allowed.
 */
export function parseListenAddress(text: string): ListenAddress {
  const match = /^(?:\[([0-9a-f:.]+(?:%[^\]\s]+)?)\]|([^:[\]\s]*)):([0-9]{1,5})$/i.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new Error(`address "${text}" must be host:port, :port or [IPv6 address]:port, with a port from 0 to 65535`);
  }
  return { host: match[1] ?? match[2] ?? '', port };
}

/** As it is written in flags and URLs. */
export function formatListenAddress({ host, port }: ListenAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
