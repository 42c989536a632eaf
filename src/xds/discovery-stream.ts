import type { WireMessage } from '../envoy/wire-message.js';
import type { StreamError } from './stream-error.js';

/**
 * The transport of one session. Sessions send and receive whole encoded messages, so another transport can replace
 * grpc-js (docs/architecture.md#rules-that-keep-it-fast).
 */
export interface DiscoveryStream {
  /** `host:port` of the other side. */
  readonly peer: string;
  /** The connection that the peer's account counts the stream for. Default: `peer`. */
  readonly connection?: string;
  /** Whether the peer is the caller, without a proxy between. Default false. */
  readonly isDirect?: boolean;
  /** @param done called once, when the bytes have been handed to the kernel; with an error when the stream ended first */
  send(message: WireMessage, done: (error?: Error) => void): void;
  /** Ends the stream, with status OK if there is no error. */
  end(error?: StreamError): void;
}
