import type { Variant } from './ads-stream.js';
import type { Expectation } from './expectation.js';
import type { MessageTemplate, RecordedMessage } from './recording.js';

export interface ClientSpec {
  readonly index: number;
  /** Encoded Node. */
  readonly node: Uint8Array;
}

/** Commands of the fleet to a worker. The worker answers each with `done`, except `stop`, after which it exits. */
export type WorkerCommand =
  /** Build clients that are not yet connected. */
  | {
      readonly kind: 'arm';
      readonly target: string;
      readonly clients: readonly ClientSpec[];
      readonly variant: Variant;
    }
  | { readonly kind: 'begin'; readonly expectation: Expectation }
  /** Connect all at once and send the first requests. */
  | { readonly kind: 'go' }
  /** End all streams, and connect again with what the clients have. */
  | { readonly kind: 'reconnect' }
  | { readonly kind: 'collect' }
  | { readonly kind: 'disarm' };

export interface WorkerResult {
  readonly clients: readonly {
    readonly index: number;
    /** On the monotonic clock; undefined when the client has not met the expectation. */
    readonly completedAtMs: number | undefined;
    /** The client stayed connected in a storm. */
    readonly stayed: boolean;
    readonly recorded: readonly RecordedMessage[];
  }[];
  readonly templates: readonly MessageTemplate[];
  /** Of a churn: pairs of a change's number and when one of the clients had it, on the monotonic clock. */
  readonly arrivals: Float64Array;
}

export type WorkerReport =
  | { readonly kind: 'done'; readonly result?: WorkerResult }
  | {
      /** Sent regularly while clients are armed. */
      readonly kind: 'progress';
      readonly completed: number;
      readonly receivedBytes: number;
      /** When the last message came, on the monotonic clock; 0 before the first of the phase. */
      readonly lastMessageAtMs: number;
      /** The missing resources of the first unfinished client; empty if all have finished. */
      readonly waitingFor: string;
    }
  | { readonly kind: 'failed'; readonly message: string };
