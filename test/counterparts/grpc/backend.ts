import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';

const asIs = (bytes: Buffer): Buffer => bytes;

/** Two methods that take and return bytes. */
export function echoService(): ServiceDefinition {
  const method = (name: string) => ({
    path: `/test.Echo/${name}`,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  });
  return { Say: method('Say'), Secret: method('Secret') };
}

/** A gRPC server on 127.0.0.1 that answers with its name. */
export interface GrpcBackend {
  readonly name: string;
  readonly port: number;
  /** Calls with this value of `x-key` so far. */
  callsOf(key: string): number;
  /** Ends the calls that are held (`x-hold`) under this value of `x-key`. */
  release(key: string): void;
  stop(): void;
}

/**
 * Starts a server. Metadata of a call changes its answer: `x-fail: n` fails the first n calls of the same `x-key` with
 * UNAVAILABLE, and `x-hold` holds the answer until `release`.
 */
export async function startGrpcBackend(name: string): Promise<GrpcBackend> {
  const server = new Server();
  const calls = new Map<string, number>();
  const held = new Map<string, (() => void)[]>();
  const answer = ({ metadata }: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>): void => {
    const read = (header: string): string => String(metadata.get(header)[0] ?? '');
    const key = read('x-key');
    const count = (calls.get(key) ?? 0) + 1;
    calls.set(key, count);
    if (count <= Number(read('x-fail'))) {
      done({ code: status.UNAVAILABLE, details: 'told to fail' });
      return;
    }
    const succeed = (): void => done(null, Buffer.from(name));
    if (read('x-hold') === '') succeed();
    else held.set(key, [...(held.get(key) ?? []), succeed]);
  };
  server.addService(echoService(), { Say: answer, Secret: answer });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    name,
    port,
    callsOf: (key) => calls.get(key) ?? 0,
    release: (key) => {
      for (const succeed of held.get(key) ?? []) succeed();
      held.delete(key);
    },
    stop: () => server.forceShutdown(),
  };
}
