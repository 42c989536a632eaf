import type { WireMessage } from '../envoy/wire-message.js';
import type { StreamError } from './stream-error.js';

/**
 * The wire under one proxy's session, whatever carries it. Everything above deals in whole encoded messages, so that
 * another transport can take grpc-js's place (docs/architecture.md#rules-that-keep-it-fast).
 */
export interface DiscoveryStream {
  /** `host:port` of the other side. */
  readonly peer: string;
  /** Settles when the bytes have been handed to the kernel; rejects when the stream ended first. */
  send(message: WireMessage): Promise<void>;
  /** Ends the stream; without an error it ends well. */
  end(error?: StreamError): void;
}
