import { type ChannelCredentials, type ChannelOptions, Client, credentials, Metadata } from '@grpc/grpc-js';
import { errorText } from '../base/error-text.js';
import { OWN_CONNECTION } from '../net/own-connection.js';
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

/** The server of a stream, and the credentials that the stream presents. */
export interface AdsCredentials {
  readonly channel: ChannelCredentials;
  readonly metadata: Metadata;
}

export interface AdsStreamSettings {
  /** `host:port`, or another target of gRPC. */
  readonly address: string;
  readonly keepaliveIntervalMs: number;
  readonly keepaliveTimeoutMs: number;
  /** Called for each stream, so that renewed tokens and certificates are used. Throws if they cannot be read. */
  readonly credentials: () => AdsCredentials;
  /** Name that the server's certificate must have; default: the host of `address`. */
  readonly serverName?: string;
}

export const PLAINTEXT_CREDENTIALS = (): AdsCredentials => ({
  channel: credentials.createInsecure(),
  metadata: new Metadata(),
});

const ADS_PATH = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
/** A response may have all services of a large mesh, and the control plane does not split it. */
const MAX_RESPONSE_BYTES = 1024 ** 3;

/**
 * Opens streams over gRPC. Each stream has its own connection, which ends with it. The caller decides when to
 * reconnect, and names are resolved again each time.
 *
 * @param path another method of the discovery server whose messages are bytes
 */
export function createAdsStreams(settings: AdsStreamSettings, path = ADS_PATH): OpenAdsStream {
  const options: ChannelOptions = {
    ...OWN_CONNECTION,
    'grpc.enable_retries': 0,
    'grpc.max_receive_message_length': MAX_RESPONSE_BYTES,
    'grpc.keepalive_time_ms': settings.keepaliveIntervalMs,
    'grpc.keepalive_timeout_ms': settings.keepaliveTimeoutMs,
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
    const call = client.makeBidiStreamRequest(path, passThrough, passThrough, shown.metadata);
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

/** A stream that could not be opened; it reports its end later, as other streams do. */
function failedStream(events: AdsStreamEvents, error: unknown): AdsStream {
  const reason = errorText(error);
  const telling = setImmediate(() => events.ended(reason));
  return { send: () => undefined, close: () => clearImmediate(telling) };
}
