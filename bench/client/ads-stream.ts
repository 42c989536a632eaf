import { Client, type ClientDuplexStream, credentials, Metadata } from '@grpc/grpc-js';

/** How a client speaks xDS: state of the world, or delta. */
export const VARIANTS = ['sotw', 'delta'] as const;
export type Variant = (typeof VARIANTS)[number];

/** The ADS methods, and the header that names the client for the floor server. */
export const ADS_METHODS: Readonly<Record<Variant, string>> = {
  sotw: '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources',
  delta: '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources',
};
export const CLIENT_INDEX_HEADER = 'x-bench-client';

/** Envoy's own default initial stream window, so that flow control acts as it does with an Envoy. */
const FLOW_CONTROL_WINDOW_BYTES = 16 * 1024 * 1024;

const CHANNEL_OPTIONS = {
  // One HTTP/2 connection per client, as Envoys have; grpc-js would share one among all clients of a thread.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.max_receive_message_length': -1,
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_http_proxy': 0,
  'grpc.enable_channelz': 0,
  'grpc-node.flow_control_window': FLOW_CONTROL_WINDOW_BYTES,
} as const;

export interface AdsStreamHandlers {
  message(bytes: Buffer): void;
  /** The stream ended before close() was called; `reason` says how. */
  failed(reason: string): void;
}

/** One client's connection; open() starts the stream. Messages pass through as bytes, in both directions. */
export class AdsStream {
  readonly #client: Client;
  readonly #index: number;
  readonly #handlers: AdsStreamHandlers;
  readonly #variant: Variant;
  #call: ClientDuplexStream<Buffer, Buffer> | undefined;
  #closed = false;

  constructor(target: string, index: number, handlers: AdsStreamHandlers, variant: Variant) {
    this.#client = new Client(target, credentials.createInsecure(), CHANNEL_OPTIONS);
    this.#index = index;
    this.#handlers = handlers;
    this.#variant = variant;
  }

  open(): void {
    const metadata = new Metadata({ waitForReady: false });
    metadata.set(CLIENT_INDEX_HEADER, String(this.#index));
    const call = this.#client.makeBidiStreamRequest<Buffer, Buffer>(
      ADS_METHODS[this.#variant],
      (bytes) => bytes,
      (bytes) => bytes,
      metadata,
    );
    this.#call = call;
    call.on('data', (bytes: Buffer) => {
      if (!this.#closed) this.#handlers.message(bytes);
    });
    call.on('error', (error) => this.#fail(error.message));
    call.on('end', () => this.#fail('the server ended the stream'));
  }

  send(bytes: Buffer): void {
    this.#call?.write(bytes);
  }

  close(): void {
    this.#closed = true;
    this.#call?.cancel();
    this.#client.close();
  }

  #fail(reason: string): void {
    if (this.#closed) return;
    this.close();
    this.#handlers.failed(reason);
  }
}
