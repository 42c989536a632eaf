import { type ChannelOptions, Client, connectivityState, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { rpcCodeOf } from '../../../base/rpc-code.js';
import { OWN_CONNECTION } from '../../../net/own-connection.js';
import { passThrough } from '../../../net/raw-method.js';
import { AdapterError } from '../adapter-error.js';
import type { TokenHeader } from './call-tokens.js';
import type { ChannelMaterial } from './channel-material.js';

/** Connections to the addresses of an adapter, with the same credentials. */
export interface AdapterChannel {
  /** @throws AdapterError without an answer */
  call(method: string, request: Buffer, timeoutMs: number, header: TokenHeader | undefined): Promise<Buffer>;
  /** Ends the connections when running calls have ended. */
  close(): void;
}

/** `failed`: no connection can be made at the moment. */
export type ChannelState = 'connecting' | 'ready' | 'failed';

/** Other programs take messages of 4 MiB unless told otherwise. */
const MAX_REQUEST_BYTES = 4 * 1024 * 1024 - 1024;
const MAX_ANSWER_BYTES = 1024 * 1024;

const OPTIONS: ChannelOptions = {
  ...OWN_CONNECTION,
  // A proxy would reach addresses that the egress rules refuse.
  'grpc.enable_http_proxy': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 5000,
  'grpc.max_send_message_length': MAX_REQUEST_BYTES,
  'grpc.max_receive_message_length': MAX_ANSWER_BYTES,
  // Servers of gRPC for Go close connections with more frequent pings.
  'grpc.keepalive_time_ms': 310_000,
  'grpc.keepalive_timeout_ms': 5000,
};

/**
 * @param target addresses, for example `ipv4:10.0.0.1:9000,10.0.0.2:9000`
 * @param authority host and port of the connection
 * @param onState called at each change; not after `close`
 */
export function openAdapterChannel(
  target: string,
  authority: string,
  { channel, targetName }: ChannelMaterial,
  onState: (state: ChannelState) => void,
): AdapterChannel {
  const client = new Client(target, channel, {
    ...OPTIONS,
    'grpc.default_authority': authority,
    ...(targetName !== undefined && { 'grpc.ssl_target_name_override': targetName }),
  });
  let isClosed = false;
  const watch = (): void => {
    if (isClosed) return;
    // Connects again at once after a lost connection.
    const current = client.getChannel().getConnectivityState(true);
    client.getChannel().watchConnectivityState(current, Number.POSITIVE_INFINITY, watch);
    onState(stateOf(current));
  };
  watch();
  return {
    call: (method, request, timeoutMs, header) =>
      new Promise((resolve, reject) => {
        if (isClosed) throw new AdapterError('UNAVAILABLE', 'the connection has been closed');
        const metadata = new Metadata();
        if (header !== undefined) metadata.set(header.name, header.value);
        const deadline = { deadline: Date.now() + timeoutMs };
        client.makeUnaryRequest(method, passThrough, passThrough, request, metadata, deadline, (error, answer) => {
          if (answer !== undefined) resolve(answer);
          else reject(callError(error, method));
        });
      }),
    close: () => {
      isClosed = true;
      client.close();
    },
  };
}

function stateOf(state: connectivityState): ChannelState {
  if (state === connectivityState.READY) return 'ready';
  return state === connectivityState.TRANSIENT_FAILURE ? 'failed' : 'connecting';
}

function callError(error: ServiceError | null, method: string): AdapterError {
  const { code = status.UNKNOWN, details = '' } = error ?? {};
  // A server that stops quickly resets its streams.
  const known = code === status.CANCELLED ? status.UNAVAILABLE : code;
  return new AdapterError(rpcCodeOf(known), `the adapter did not answer ${method}: ${details.slice(0, 500)}`, {
    cause: error,
  });
}
