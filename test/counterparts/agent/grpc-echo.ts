import {
  Client,
  credentials,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import type { GrpcCall, GrpcEcho, ServeOptions } from './calls.js';
import type { RunningServer } from './running-server.js';

/** One unary method without a .proto: messages are JSON text. */
const ECHO_PATH = '/counterparts.Echo/Say';

const toBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const fromBytes = (bytes: Buffer): unknown => JSON.parse(bytes.toString());

const definition: ServiceDefinition = {
  say: {
    path: ECHO_PATH,
    requestStream: false,
    responseStream: false,
    requestSerialize: toBytes,
    requestDeserialize: fromBytes,
    responseSerialize: toBytes,
    responseDeserialize: fromBytes,
  },
};

/** A gRPC server that answers with its name, the message, and the metadata it received. */
export async function serveGrpcEcho({ name, port, address = '0.0.0.0' }: ServeOptions): Promise<RunningServer> {
  const server = new Server();
  const say: handleUnaryCall<string, GrpcEcho> = (call, respond) => {
    const metadata = Object.entries(call.metadata.getMap()).map(([key, value]) => [key, String(value)]);
    respond(null, { name, message: call.request, metadata: Object.fromEntries(metadata) });
  };
  server.addService(definition, { say });
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${address}:${port}`, ServerCredentials.createInsecure(), (error, boundPort) => {
      if (error === null) resolve(boundPort);
      else reject(error);
    });
  });
  return {
    port: bound,
    stop: async () => server.forceShutdown(),
  };
}

/** One call on its own connection. */
export async function callGrpcEcho(call: GrpcCall): Promise<GrpcEcho> {
  const client = new Client(`${call.address}:${call.port}`, credentials.createInsecure(), {
    'grpc.default_authority': call.authority,
    'grpc.use_local_subchannel_pool': 1,
  });
  try {
    return await new Promise<GrpcEcho>((resolve, reject) => {
      const deadline = Date.now() + (call.timeoutMs ?? 30_000);
      client.makeUnaryRequest(
        ECHO_PATH,
        toBytes,
        (bytes: Buffer) => fromBytes(bytes) as GrpcEcho,
        call.message,
        { deadline },
        (error, echo) => {
          if (error === null && echo !== undefined) resolve(echo);
          else reject(error ?? new Error('gRPC call without an answer'));
        },
      );
    });
  } finally {
    client.close();
  }
}
