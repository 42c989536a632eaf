import { formatListenAddress, type ListenAddress } from './listen-address.js';

/** A listener could not be opened; the message names the address, the reason and the setting to change. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  /** The system's code, for example EADDRINUSE. */
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
