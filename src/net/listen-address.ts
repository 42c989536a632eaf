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

/** The address as flags and URLs write it. */
export function formatListenAddress({ host, port }: ListenAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A listener cannot be opened. The message names the address, the reason and the setting to change. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  /** Error code of the system, for example EADDRINUSE. */
  readonly code: string;

  /** @param setting the flag that the address comes from, for example `--httpAddr`. */
  constructor(setting: string, address: ListenAddress, cause: NodeJS.ErrnoException) {
    const shown = formatListenAddress(address);
    super(`cannot listen on ${shown}: ${reasonOf(cause)}; set another address with ${setting}`, { cause });
    this.code = cause.code ?? 'UNKNOWN';
  }
}

function reasonOf(cause: NodeJS.ErrnoException): string {
  switch (cause.code) {
    case 'EADDRINUSE':
      return 'another process uses the port';
    case 'EACCES':
      return 'this user may not open the port (those below 1024 need a privilege)';
    case 'EADDRNOTAVAIL':
      return 'no network interface of this machine has the address';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name does not resolve';
    default:
      return cause.message;
  }
}
