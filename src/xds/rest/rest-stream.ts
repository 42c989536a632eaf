import type { WireMessage } from '../../envoy/wire-message.js';
import type { DiscoveryStream } from '../discovery-stream.js';
import { StreamError } from '../stream-error.js';

/** One HTTP request of a proxy, which waits for its answer. */
export interface RestPoll {
  /** `address:port` of the proxy. */
  readonly peer: string;
  /** Whether the poll may wait for a change. Others are answered at once. */
  readonly mayWait: boolean;
  /** It has been answered, or its connection has closed. */
  readonly isOver: boolean;
  /** Answers 200. @param done called once, when the answer has left this process; with an error if the connection closed before */
  answer(message: WireMessage, done: (error?: Error) => void): void;
  /** Answers that the resources are those that the proxy has. */
  unchanged(): void;
  fail(error: StreamError): void;
}

/** The transport of a session whose proxy polls: it can carry a response only while a poll waits. */
export class RestStream implements DiscoveryStream {
  readonly peer: string;
  /** For the account of the peer: many subscriptions share one HTTP connection. */
  readonly connection: string;
  readonly #onEnd: () => void;
  #poll: RestPoll | undefined;

  /** @param onEnd called once, when this side ends the session */
  constructor(peer: string, connection: string, onEnd: () => void) {
    this.peer = peer;
    this.connection = connection;
    this.#onEnd = onEnd;
  }

  get isPolled(): boolean {
    return this.#poll !== undefined;
  }

  /** A poll waits from now on. A poll before it, of a connection that the proxy has given up, is answered. */
  begin(poll: RestPoll): void {
    const before = this.#poll;
    this.#poll = poll;
    before?.unchanged();
  }

  /** The poll is over: its time is, or its connection has closed. */
  finish(poll: RestPoll): void {
    if (this.#poll === poll) this.#poll = undefined;
  }

  /** There is nothing to send now. */
  idle(): void {
    const poll = this.#poll;
    if (poll === undefined || poll.mayWait) return;
    this.#poll = undefined;
    poll.unchanged();
  }

  send(message: WireMessage, done: (error?: Error) => void): void {
    const poll = this.#poll;
    this.#poll = undefined;
    if (poll === undefined) done(new Error('no poll waits'));
    else poll.answer(message, done);
  }

  end(error?: StreamError): void {
    const poll = this.#poll;
    this.#poll = undefined;
    poll?.fail(error ?? new StreamError('UNAVAILABLE', 'the subscription has ended; request it again'));
    this.#onEnd();
  }
}
