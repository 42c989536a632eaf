import type { UpstreamResponse } from '../upstream-response.js';

/** A query as upstream servers get it. */
export interface UpstreamQuery {
  /** The whole message. Each exchange replaces its id by a random one. */
  readonly message: Buffer;
  /** The part of the message that a response repeats. */
  readonly question: Buffer;
}

/** Why an upstream server gave no answer. */
export type UpstreamProblem = 'timeout' | 'connection' | 'loop' | 'forged';

/** An upstream server gave no answer to a query. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly problem: UpstreamProblem;

  constructor(problem: UpstreamProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}

/** A query that waits for its response. */
export interface Outstanding {
  readonly question: Buffer;
  /** The port that it was sent from; undefined if it has not been sent. */
  readonly port: number | undefined;
  fail(error: UpstreamError): void;
}

/** A way to one upstream server. */
export interface UpstreamServer {
  /** For messages, such as `10.0.0.10:53`. */
  readonly name: string;
  /**
   * Sends a query and waits for the response.
   *
   * @throws UpstreamError
   */
  exchange(query: UpstreamQuery, timeoutMs: number): Promise<UpstreamResponse>;
  /**
   * Whether a message of a client is a query that this process sent: the server sends queries back. If so, the exchange
   * ends. It is one if id, question and port are equal; then nothing on the way has made another query of it.
   */
  endLoop(id: number, question: Buffer, sourcePort: number | undefined): boolean;
  stop(): void;
}

/** Ends an exchange whose query came back from a client. */
export function endLoopOf(outstanding: Outstanding | undefined, question: Buffer, port: number | undefined): boolean {
  if (outstanding === undefined || !outstanding.question.equals(question)) return false;
  if (outstanding.port === undefined || outstanding.port !== port) return false;
  outstanding.fail(new UpstreamError('loop', 'the server sends queries back to this one'));
  return true;
}
