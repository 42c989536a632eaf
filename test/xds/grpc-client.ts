import {
  type ChannelCredentials,
  Client,
  type ClientDuplexStream,
  credentials,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { eventually } from '../support/eventually.js';
import { discoveryRequest, type ReadResponse, type RequestFields, readResponse } from './session-rig.js';

const passThrough = (bytes: Buffer): Buffer => bytes;

/** A raw discovery client over real gRPC. */
export interface DiscoveryClient {
  readonly responses: readonly ReadResponse[];
  readonly error: ServiceError | undefined;
  /** The same responses, as received. */
  readonly messages: readonly Buffer[];
  send(fields: RequestFields): void;
  /** Sends a request of another protocol. */
  sendBytes(request: Buffer): void;
  /** Waits for the response with that index. */
  response(index: number): Promise<ReadResponse>;
  /** Waits until the stream has ended. */
  ended(): Promise<ServiceError>;
  close(): void;
}

export interface ClientOptions {
  /** Plaintext unless given. */
  readonly channel?: ChannelCredentials;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Name that the server's certificate must have. Default `meshd.test`. */
  readonly serverName?: string;
}

export function connectClient(port: number, path: string, options: ClientOptions = {}): DiscoveryClient {
  const client = new Client(`127.0.0.1:${port}`, options.channel ?? credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_receive_message_length': -1,
    'grpc.ssl_target_name_override': options.serverName ?? 'meshd.test',
  });
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(options.metadata ?? {})) metadata.set(key, value);
  const call: ClientDuplexStream<Buffer, Buffer> = client.makeBidiStreamRequest(
    path,
    passThrough,
    passThrough,
    metadata,
  );
  const responses: ReadResponse[] = [];
  let error: ServiceError | undefined;
  const messages: Buffer[] = [];
  call.on('data', (message: Buffer) => {
    messages.push(message);
    responses.push(readResponse(message));
  });
  call.on('error', (failure: ServiceError) => {
    error = failure;
  });
  return {
    responses,
    messages,
    get error() {
      return error;
    },
    send: (fields) => void call.write(discoveryRequest(fields)),
    sendBytes: (request) => void call.write(request),
    response: async (index) => {
      await eventually(`response ${index + 1}`, () => {
        if (responses.length <= index && error !== undefined) throw error;
        return responses.length > index;
      });
      return responses[index] as ReadResponse;
    },
    ended: async () => {
      await eventually('the end of the stream', () => error !== undefined);
      return error as ServiceError;
    },
    close: () => {
      call.cancel();
      client.close();
    },
  };
}
