import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { errorText } from '../../src/base/error-text.js';
import { FrameReader, frameMessage } from '../wire/grpc-frames.js';

/** How a client speaks xDS: state of the world, or delta. */
export const VARIANTS = ['sotw', 'delta'] as const;
export type Variant = (typeof VARIANTS)[number];

/** The ADS methods, and the header that names the client for the floor server. */
export const ADS_METHODS: Readonly<Record<Variant, string>> = {
  sotw: '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources',
  delta: '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources',
};
export const CLIENT_INDEX_HEADER = 'x-bench-client';

/** As Envoy's default, so that flow control acts as it does with an Envoy. */
const WINDOW_BYTES = 16 * 1024 * 1024;

export interface AdsStreamHandlers {
  message(bytes: Buffer): void;
  /** The stream or its connection ended before close() was called; called once. */
  failed(reason: string): void;
}

/**
 * One client's connection with its one ADS stream. Messages pass through as bytes, in both directions. There is no gRPC
 * library, which would cost more than the rest: the clients share the processors with the server that they measure.
 */
export class AdsStream {
  readonly #session: ClientHttp2Session;
  readonly #stream: ClientHttp2Stream;
  readonly #handlers: AdsStreamHandlers;
  #closed = false;

  /**
   * Connects.
   *
   * @param target host:port
   * @param index tells the floor server which client this is
   */
  constructor(target: string, handlers: AdsStreamHandlers, variant: Variant, index = 0) {
    this.#handlers = handlers;
    this.#session = connect(`http://${target}`, { settings: { initialWindowSize: WINDOW_BYTES, enablePush: false } });
    this.#session.on('connect', (session) => {
      if (!session.destroyed) session.setLocalWindowSize(WINDOW_BYTES);
    });
    this.#session.on('error', (error) => this.#fail(error.message));
    this.#session.on('close', () => this.#fail('the connection was closed'));
    this.#stream = this.#session.request({
      ':method': 'POST',
      ':path': ADS_METHODS[variant],
      'content-type': 'application/grpc',
      te: 'trailers',
      [CLIENT_INDEX_HEADER]: String(index),
    });
    const reader = new FrameReader();
    this.#stream.on('data', (chunk: Buffer) => reader.read(chunk, (message) => this.#receive(message)));
    this.#stream.on('response', (headers) => this.#checkStatus(headers));
    this.#stream.on('trailers', (headers) => this.#checkStatus(headers));
    this.#stream.on('error', (error) => this.#fail(error.message));
    this.#stream.on('end', () => this.#fail('the server ended the stream'));
  }

  send(message: Uint8Array): void {
    this.#stream.write(frameMessage(message));
  }

  /** Ends the connection at once, as a process that is killed does. */
  close(): void {
    this.#closed = true;
    this.#session.destroy();
  }

  #receive(message: Buffer): void {
    if (this.#closed) return;
    try {
      this.#handlers.message(message);
    } catch (error) {
      this.#fail(errorText(error));
    }
  }

  #checkStatus(headers: Readonly<Record<string, unknown>>): void {
    const status = headers['grpc-status'];
    if (status === undefined) return;
    // gRPC encodes the text of a status with percent signs.
    const text = String(headers['grpc-message'] ?? '').replaceAll('%20', ' ');
    this.#fail(`gRPC status ${status}: ${text}`);
  }

  #fail(reason: string): void {
    if (this.#closed) return;
    this.close();
    this.#handlers.failed(reason);
  }
}
