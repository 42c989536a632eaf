import type { TcpConnectionFacts } from '../../client/tcp-attributes.js';
import { checkConnectionFacts } from './check-connection.js';
import type { WireCheckRequest } from './envoy-messages.js';
import { ipBytesOf } from './wire-address.js';

/** What a Check of a TCP filter does not have in its message. */
export interface TcpCallFacts {
  /** The id that the access log knows the connection by. */
  readonly id: string;
  /** When it was opened, in nanoseconds since 1970-01-01T00:00:00Z. */
  readonly timeNs: bigint;
}

/** What a Check of the network filter says of its connection (BEHAVIOUR 6, "TCP"). */
export function tcpConnectionFacts(message: WireCheckRequest, { id, timeNs }: TcpCallFacts): TcpConnectionFacts {
  const sourceIp = ipBytesOf(message.attributes?.source?.address);
  return { id, timeNs, connection: checkConnectionFacts(message), ...(sourceIp && { sourceIp }) };
}

/** Whether a Check is about a connection: it has no request then. */
export function isTcpCheck({ attributes }: WireCheckRequest): boolean {
  return attributes?.request?.http === undefined || attributes.request.http === null;
}
