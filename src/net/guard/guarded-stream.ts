import { constants, type ServerHttp2Stream } from 'node:http2';
import { Metadata, type ServerInterceptingCallInterface, status } from '@grpc/grpc-js';
import type { GrpcLimitName } from './grpc-limits.js';
import { type FrameProblem, MessageFrames } from './message-frames.js';

/** Estimated memory of an open stream that waits for a message: objects of Node and grpc-js. */
const STREAM_BYTES = 8 * 1024;
/** Memory of each piece of an incomplete message beside its bytes. */
const PIECE_BYTES = 256;

/**
 * What a peer may send of a stream without permission: SETTINGS_INITIAL_WINDOW_SIZE of the listeners (RFC 9113, section
 * 6.9.2). A longer message waits if its address has no room for it.
 */
export const WINDOW_BYTES = 24 * 1024;

/** Bytes that arrived before the guard followed the stream. */
interface EarlyBytes {
  readonly bytes: number;
  readonly problem: FrameProblem | undefined;
  /** Whether the peer has ended the stream. */
  readonly isEnd: boolean;
}

/** Events of a guarded stream. */
export interface StreamObserver {
  /**
   * Called whenever the held bytes change.
   *
   * @param bytes held for messages that are incomplete or not read yet; 0 for none
   * @param isNew whether they belong to another message than before
   */
  holds(bytes: number, isNew: boolean): void;
  /**
   * Whether the rest of a long message may arrive.
   *
   * @param announced size of the message
   * @param begin called later, if the message has to wait
   */
  mayContinue(announced: number, begin: () => void): boolean;
  /** @param bytes received for the stream */
  received(bytes: number): void;
  /** The first message is complete. */
  proven(): void;
  /** The stream ended before its first message was complete. */
  abandoned(): void;
  /** @returns the error text for the peer */
  limitReached(limit: GrpcLimitName, value: number): string;
}

/**
 * Follows one HTTP/2 stream below grpc-js: counts the bytes of incomplete messages and rejects messages that are not
 * allowed. grpc-js itself keeps the bytes of a message, up to the one limit of the server, as long as the stream lasts.
 */
export class GuardedStream {
  readonly stream: ServerHttp2Stream;
  readonly #maxMessageBytes: number;
  readonly #headerBytes: number;
  readonly #observer: StreamObserver;
  readonly #frames = new MessageFrames();
  #call: ServerInterceptingCallInterface | undefined;
  /** Whether the request is one message, which is complete when the peer ends the stream. */
  #isUnary = false;
  #isRead = false;
  /** Bytes since the start of the stream, or since its first read. */
  #unreadBytes = 0;
  /** Bytes of a unary request, all kept until the peer ends the stream. */
  #unaryBytes = 0;
  /** Pieces of the incomplete message. */
  #pieces = 0;
  #ended = false;
  /** Permits the peer to send more. */
  readonly #permit: () => void;
  /** The peer is permitted to send more. */
  #isWanted = false;
  /** The server asked for more while the message waited for its turn. */
  #isAsked = false;
  /** Bytes that the peer sent without permission. */
  #unwantedBytes = 0;
  /** Bytes that arrived before the guard followed the stream. */
  readonly #early: EarlyBytes;

  constructor(stream: ServerHttp2Stream, maxMessageBytes: number, headerBytes: number, observer: StreamObserver) {
    this.stream = stream;
    this.#maxMessageBytes = maxMessageBytes;
    this.#headerBytes = headerBytes;
    this.#observer = observer;
    this.#early = this.#takeEarly();
    const push = stream.push;
    // Node pushes all data that arrives, even if the stream is not read. This public method is the only place that sees
    // it.
    stream.push = (chunk: Buffer | null): boolean => {
      if (chunk === null) {
        this.#end();
        return push.call(stream, null);
      }
      const kept = this.#receive(chunk);
      if (kept === undefined) return false;
      const hasRoom = push.call(stream, kept);
      if (!this.#isWanted || (hasRoom && this.#mayContinue())) return hasRoom;
      this.#isWanted = false;
      this.#unwantedBytes = 0;
      return false;
    };
    // Node calls this method to permit the peer to send more. A peer without permission waits.
    const read = stream._read;
    this.#permit = () => {
      this.#isAsked = false;
      this.#isWanted = true;
      read.call(stream, 0);
    };
    stream._read = () => {
      if (this.#mayContinue()) this.#permit();
      else this.#isAsked = true;
    };
    stream.once('close', () => {
      this.#end();
      if (this.#frames.complete === 0) observer.abandoned();
    });
    this.#tell(true);
  }

  /**
   * Reads the frames that arrived before Node passed the stream on. If the server has read the first bytes of a
   * connection itself, Node gets all of them at once. Data that must not be read is dropped.
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

  /** Counts the bytes that arrived before the guard followed the stream. Call it once, when the stream is served. */
  countEarly(): void {
    const { bytes, problem, isEnd } = this.#early;
    if (bytes > 0) {
      this.#observer.received(bytes);
      if (!this.#ended) this.#count(bytes, 0, problem);
    }
    if (isEnd) this.#end();
  }

  /** Whether the peer still has to complete a message, and is permitted to. */
  get isIncomplete(): boolean {
    if (!this.#isWanted && this.#unwantedBytes >= WINDOW_BYTES / 2) return false;
    return !this.#ended && (this.#frames.complete === 0 || this.#frames.incompleteBytes > 0 || this.#isUnary);
  }

  /** Whether grpc-js serves the stream; false if the method does not exist. */
  get isServed(): boolean {
    return this.#call !== undefined;
  }

  /** @param isUnary whether the request is one message */
  serve(call: ServerInterceptingCallInterface, isUnary: boolean): void {
    this.#call = call;
    this.#isUnary = isUnary;
    // grpc-js reads all data of a unary request.
    if (isUnary) this.#isRead = true;
    else this.stream.once('data', () => this.#read());
  }

  #read(): void {
    this.#isRead = true;
    this.#unreadBytes = 0;
    this.#tell(false);
  }

  /** Ends the call with an error, then the stream. */
  refuse(code: status, details: string): void {
    if (this.#ended) return;
    this.#end();
    const { stream } = this;
    if (stream.destroyed || stream.closed) return;
    if (this.#call === undefined && !stream.headersSent) respondWithError(stream, code, details);
    else {
      const metadata = new Metadata();
      // The server accepts only uncompressed messages, whatever grpc-js announces.
      if (code === status.UNIMPLEMENTED) metadata.set('grpc-accept-encoding', 'identity');
      this.#call?.sendStatus({ code, details, metadata });
    }
    this.#closeSoon();
  }

  /** Closes the stream after its response; further data of the peer is useless. */
  closeAnswered(): void {
    this.#end();
    this.#closeSoon();
  }

  #closeSoon(): void {
    const { stream } = this;
    const close = (): void => stream.close(constants.NGHTTP2_NO_ERROR);
    // Trailers are sent after the messages.
    if (stream.listenerCount('wantTrailers') > 0) stream.once('wantTrailers', () => setImmediate(close));
    else close();
  }

  #mayContinue(): boolean {
    const { announcedBytes } = this.#frames;
    if (this.#ended || announcedBytes <= WINDOW_BYTES) return true;
    return this.#observer.mayContinue(announcedBytes, () => {
      if (this.#isAsked && !this.stream.destroyed) this.#permit();
    });
  }

  #receive(chunk: Buffer): Buffer | undefined {
    this.#observer.received(chunk.length);
    if (!this.#isWanted) this.#unwantedBytes += chunk.length;
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
   * Counts bytes whose frames have been read.
   *
   * @returns false if they ended the call
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

  /**
   * Copies a small piece of an incomplete message. Otherwise it would keep in memory the whole buffer that was read
   * from the socket.
   */
  #kept(chunk: Buffer): Buffer {
    return this.#frames.incompleteBytes > 0 && chunk.length * 4 < chunk.buffer.byteLength ? copyOf(chunk) : chunk;
  }

  #tell(isNew: boolean): void {
    if (this.#ended) return;
    const { complete, incompleteBytes } = this.#frames;
    // A stream with a complete first message waits for the server, not for its peer. Other limits, such as the queue of
    // token reviews, bound such streams. This limit bounds the data of the peer.
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

/** Ends a call without a message, as grpc-js does. */
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
