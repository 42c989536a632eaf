import { constants, type ServerHttp2Stream } from 'node:http2';
import { Metadata, type ServerInterceptingCallInterface, status } from '@grpc/grpc-js';
import type { GrpcLimitName } from './grpc-limits.js';
import { type FrameProblem, MessageFrames } from './message-frames.js';

/** What an open stream takes in memory while a message is due, an estimate: Node's and grpc-js's objects. */
const STREAM_BYTES = 8 * 1024;
/** What each piece of an incomplete message takes beside its bytes. */
const PIECE_BYTES = 256;

/** What had come of a stream before it was followed. */
interface EarlyBytes {
  readonly bytes: number;
  readonly problem: FrameProblem | undefined;
  /** Whether the peer has ended the stream. */
  readonly isEnd: boolean;
}

/** What a guarded stream tells of itself. */
export interface StreamObserver {
  /**
   * Called whenever it changes.
   *
   * @param bytes what the stream takes for messages that are not complete, or not read yet; 0 for none
   * @param isNew that they belong to another message than before
   */
  holds(bytes: number, isNew: boolean): void;
  /** @param bytes that have come for the stream */
  received(bytes: number): void;
  /** Its first message is complete. */
  proven(): void;
  /** It has ended before its first message was complete. */
  abandoned(): void;
  /** @returns what the peer is told */
  limitReached(limit: GrpcLimitName, value: number): string;
}

/**
 * Follows one HTTP/2 stream below grpc-js: how much of an incomplete message it holds, whether the message is allowed
 * at all. grpc-js keeps what has come of a message, of any length up to the one limit of the server, for as long as the
 * stream lasts.
 */
export class GuardedStream {
  readonly stream: ServerHttp2Stream;
  readonly #maxMessageBytes: number;
  readonly #headerBytes: number;
  readonly #observer: StreamObserver;
  readonly #frames = new MessageFrames();
  #call: ServerInterceptingCallInterface | undefined;
  /** Whether a message is complete only when the peer has ended the stream. */
  #isUnary = false;
  #isRead = false;
  /** Bytes since the stream began, or since it was first read. */
  #unreadBytes = 0;
  /** Of a request that is one message: all of it is kept until the peer ends the stream. */
  #unaryBytes = 0;
  /** Pieces of the incomplete message. */
  #pieces = 0;
  #ended = false;
  /** What had come before the stream was followed. */
  readonly #early: EarlyBytes;

  constructor(stream: ServerHttp2Stream, maxMessageBytes: number, headerBytes: number, observer: StreamObserver) {
    this.stream = stream;
    this.#maxMessageBytes = maxMessageBytes;
    this.#headerBytes = headerBytes;
    this.#observer = observer;
    this.#early = this.#takeEarly();
    const push = stream.push;
    // Node pushes what arrives whether the stream is read or not: its public method is the only place that sees it.
    stream.push = (chunk: Buffer | null): boolean => {
      if (chunk === null) {
        this.#end();
        return push.call(stream, null);
      }
      const kept = this.#receive(chunk);
      return kept === undefined ? false : push.call(stream, kept);
    };
    stream.once('close', () => {
      this.#end();
      if (this.#frames.complete === 0) observer.abandoned();
    });
    this.#tell(true);
  }

  /**
   * Reads the frames of what came before Node handed over the stream: where a server has read the first bytes of a
   * connection itself, Node is given all of them at once. What must not be read is dropped.
   */
  #takeEarly(): EarlyBytes {
    const { stream } = this;
    const isEnd = stream.state.state === constants.NGHTTP2_STREAM_STATE_HALF_CLOSED_REMOTE;
    const chunk: Buffer | null = stream.readableLength > 0 ? stream.read() : null;
    if (chunk === null) return { bytes: 0, problem: undefined, isEnd };
    const problem = this.#frames.feed(chunk, this.#maxMessageBytes);
    if (problem === undefined) stream.unshift(this.#kept(chunk));
    return { bytes: chunk.length, problem, isEnd };
  }

  /** Counts what came before the stream was followed. To be called once, when the stream is served. */
  countEarly(): void {
    const { bytes, problem, isEnd } = this.#early;
    if (bytes > 0) {
      this.#observer.received(bytes);
      if (!this.#ended) this.#count(bytes, 0, problem);
    }
    if (isEnd) this.#end();
  }

  /** Whether a message has begun, or is due, that the peer has not sent completely. */
  get isIncomplete(): boolean {
    return !this.#ended && (this.#frames.complete === 0 || this.#frames.incompleteBytes > 0 || this.#isUnary);
  }

  /** Whether grpc-js serves it: not where it has no such method. */
  get isServed(): boolean {
    return this.#call !== undefined;
  }

  /** @param isUnary that the request is one message */
  serve(call: ServerInterceptingCallInterface, isUnary: boolean): void {
    this.#call = call;
    this.#isUnary = isUnary;
    // Of a request that is one message, grpc-js reads all that comes.
    if (isUnary) this.#isRead = true;
    else this.stream.once('data', () => this.#read());
  }

  #read(): void {
    this.#isRead = true;
    this.#unreadBytes = 0;
    this.#tell(false);
  }

  /** Ends the call with an error that says why, then the stream. */
  refuse(code: status, details: string): void {
    if (this.#ended) return;
    this.#end();
    const { stream } = this;
    if (stream.destroyed || stream.closed) return;
    if (this.#call === undefined && !stream.headersSent) respondWithError(stream, code, details);
    else {
      const metadata = new Metadata();
      // Only what is not compressed is taken, whatever grpc-js announces.
      if (code === status.UNIMPLEMENTED) metadata.set('grpc-accept-encoding', 'identity');
      this.#call?.sendStatus({ code, details, metadata });
    }
    this.#closeSoon();
  }

  /** Closes the stream if the peer has not: what it sends after its answer is of no use. */
  closeAnswered(): void {
    this.#end();
    this.#closeSoon();
  }

  #closeSoon(): void {
    const { stream } = this;
    const close = (): void => stream.close(constants.NGHTTP2_NO_ERROR);
    // Trailers that follow messages are sent when those have been.
    if (stream.listenerCount('wantTrailers') > 0) stream.once('wantTrailers', () => setImmediate(close));
    else close();
  }

  #receive(chunk: Buffer): Buffer | undefined {
    this.#observer.received(chunk.length);
    if (this.#ended) return undefined;
    if (this.stream.writableEnded) {
      this.closeAnswered();
      return undefined;
    }
    const completeBefore = this.#frames.complete;
    const problem = this.#frames.feed(chunk, this.#maxMessageBytes);
    return this.#count(chunk.length, completeBefore, problem) ? this.#kept(chunk) : undefined;
  }

  /**
   * Takes account of bytes whose frames have been read.
   *
   * @returns false when they ended the call
   */
  #count(bytes: number, completeBefore: number, problem: FrameProblem | undefined): boolean {
    if (problem !== undefined) {
      this.refuse(
        problem === 'compressed' ? status.UNIMPLEMENTED : status.RESOURCE_EXHAUSTED,
        problem === 'compressed'
          ? this.#observer.limitReached('compressed_message', 0)
          : this.#observer.limitReached('message_size', this.#maxMessageBytes),
      );
      return false;
    }
    const { complete, incompleteBytes } = this.#frames;
    const isNew = complete > completeBefore;
    if (isNew && completeBefore === 0) this.#observer.proven();
    if (!this.#isRead) this.#unreadBytes += bytes;
    if (this.#isUnary) {
      this.#pieces++;
      this.#unaryBytes += bytes;
    } else if (incompleteBytes === 0) this.#pieces = 0;
    else this.#pieces = isNew ? 1 : this.#pieces + 1;
    this.#tell(isNew);
    return true;
  }

  /** A small piece of an incomplete message would keep in memory all that was read from the socket together with it. */
  #kept(chunk: Buffer): Buffer {
    return this.#frames.incompleteBytes > 0 && chunk.length * 2 < chunk.buffer.byteLength ? copyOf(chunk) : chunk;
  }

  #tell(isNew: boolean): void {
    if (this.#ended) return;
    const { complete, incompleteBytes } = this.#frames;
    // A stream whose first message is complete waits for us, not for its peer: how many wait is bounded by what they
    // wait for, such as the queue of tokens. What the peer has sent is bounded here.
    const isAwaited = complete === 0 || this.#isUnary;
    const headerBytes = isAwaited || !this.#isRead ? this.#headerBytes : 0;
    const base = (isAwaited ? STREAM_BYTES : 0) + headerBytes;
    const incomplete = Math.max(incompleteBytes, this.#unaryBytes) + this.#pieces * PIECE_BYTES;
    this.#observer.holds(base + Math.max(incomplete, this.#unreadBytes), isNew);
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#observer.holds(0, false);
  }
}

function copyOf(chunk: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(chunk.length);
  chunk.copy(copy);
  return copy;
}

/** As grpc-js answers a call that ends without a message. */
export function respondWithError(stream: ServerHttp2Stream, code: status, details: string): void {
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc+proto',
      'grpc-status': code,
      'grpc-message': encodeURI(details),
    },
    { endStream: true },
  );
}
