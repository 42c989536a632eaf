import { once } from 'node:events';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecured } from 'node:tls';
import { errorText } from '../../base/error-text.js';
import type { EgressRules } from './egress-rules.js';
import { createGuardedLookup, type ResolveName } from './guarded-lookup.js';

/** A server, by name or address. */
export interface ConnectTarget {
  readonly host: string;
  readonly port: number;
  /** Missing: plaintext. */
  readonly tls?: {
    /** PEM; missing: the roots of the system. */
    readonly ca?: string;
  };
}

/**
 * Connects to an address that the rules allow, also after the name is resolved.
 *
 * @param timeoutMs for the connection with its TLS handshake
 * @throws Error with the reason
 */
export type GuardedConnect = (target: ConnectTarget, timeoutMs: number) => Promise<Socket>;

export interface GuardedConnectOptions {
  readonly rules: EgressRules;
  /** Default: the resolver of the system. */
  readonly resolveName?: ResolveName;
}

export function createGuardedConnect({ rules, resolveName }: GuardedConnectOptions): GuardedConnect {
  const lookup = createGuardedLookup(rules, resolveName);
  return async ({ host, port, tls }, timeoutMs) => {
    const isAddress = isIP(host) !== 0;
    // An address is not looked up, so it is checked here.
    const refusal = isAddress ? rules.refusalOf(host) : undefined;
    if (refusal !== undefined) throw new Error(`its address is not allowed: ${refusal}`);
    const to = { host, port, lookup };
    const socket =
      tls === undefined
        ? connectPlain(to)
        : connectSecured({ ...to, ...(!isAddress && { servername: host }), minVersion: 'TLSv1.2', ...tls });
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      await once(socket, tls === undefined ? 'connect' : 'secureConnect', { signal });
      return socket;
    } catch (error) {
      // Errors after this one have no other listener.
      socket.on('error', () => undefined);
      socket.destroy();
      throw new Error(signal.aborted ? `no connection within ${timeoutMs} ms` : errorText(error), { cause: error });
    }
  };
}
