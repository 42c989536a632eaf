import { type ChannelCredentials, type ChannelOptions, Client, credentials, Metadata } from '@grpc/grpc-js';
import { passThrough } from '../net/raw-method.js';

/** One ADS stream, from its opening to its end. */
export interface AdsStream {
  send(request: Buffer): void;
  /** Ends the stream; `ended` is not called then. */
  close(): void;
}

export interface AdsStreamEvents {
  received(response: Buffer): void;
  /** Called once when the stream has ended without being closed, or could not be opened. */
  ended(reason: string): void;
}

/** Opens a stream to the discovery server. */
export type OpenAdsStream = (events: AdsStreamEvents) => AdsStream;

/** What a stream shows of its caller, and what it takes for the server. */
export interface AdsCredentials {
  readonly channel: ChannelCredentials;
  readonly metadata: Metadata;
}

export interface AdsStreamSettings {
  /** `host:port`, or another target of gRPC. */
  readonly address: string;
  readonly keepaliveIntervalMs: number;
  readonly keepaliveTimeoutMs: number;
  /** Asked for each stream, so that tokens and certificates that were renewed count. Throws when they cannot be read. */
  readonly credentials: () => AdsCredentials;
  /** Name that the server's certificate must have; default: the host of `address`. */
  readonly serverName?: string;
}

export const PLAINTEXT_CREDENTIALS = (): AdsCredentials => ({
  channel: credentials.createInsecure(),
  metadata: new Metadata(),
});

const ADS_PATH = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
/** A mesh of many services in one response, which servers of ours send as it is. */
const MAX_RESPONSE_BYTES = 1024 ** 3;

/**
 * Streams over gRPC. Every stream has a connection of its own, which ends with it: when to connect again is decided by
 * who opens streams alone, and names are resolved anew each time.
 */
export function createAdsStreams(settings: AdsStreamSettings): OpenAdsStream {
  const options: ChannelOptions = {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_retries': 0,
    'grpc.max_receive_message_length': MAX_RESPONSE_BYTES,
    'grpc.keepalive_time_ms': settings.keepaliveIntervalMs,
    'grpc.keepalive_timeout_ms': settings.keepaliveTimeoutMs,
    'grpc.enable_channelz': 0,
    ...(settings.serverName === undefined ? {} : { 'grpc.ssl_target_name_override': settings.serverName }),
  };
  return (events) => {
    let shown: AdsCredentials;
    try {
      shown = settings.credentials();
    } catch (error) {
      return failedStream(events, error);
    }
    const client = new Client(settings.address, shown.channel, options);
    const call = client.makeBidiStreamRequest(ADS_PATH, passThrough, passThrough, shown.metadata);
    let isOpen = true;
    const end = (reason: string): void => {
      if (!isOpen) return;
      isOpen = false;
      client.close();
      events.ended(reason);
    };
    call.on('data', (response: Buffer) => {
      if (isOpen) events.received(response);
    });
    call.on('error', (error: Error) => end(error.message));
    call.on('end', () => end('the server ended the stream'));
    return {
      send: (request) => {
        if (isOpen) call.write(request);
      },
      close: () => {
        isOpen = false;
        call.cancel();
        client.close();
      },
    };
  };
}

/** A stream that could not be opened: it says so later, as any other that ends. */
function failedStream(events: AdsStreamEvents, error: unknown): AdsStream {
  const reason = error instanceof Error ? error.message : String(error);
  const telling = setImmediate(() => events.ended(reason));
  return { send: () => undefined, close: () => clearImmediate(telling) };
}
