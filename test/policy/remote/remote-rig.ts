import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { AttributeBag } from '../../../src/policy/client/attribute-bag.js';
import {
  createGrpcPolicyTransport,
  type GrpcPolicyTransport,
} from '../../../src/policy/remote/grpc-policy-transport.js';
import { createPolicyService } from '../../../src/policy/server/grpc/policy-service.js';
import { createPolicyCodec } from '../../../src/policy/wire/policy-codec.js';
import { loadPolicyProtos } from '../../../src/policy/wire/policy-protos.js';
import { createFakePolicyServer, type FakePolicyServer } from '../../support/policy-server.js';
import { createRecordingLogger } from '../../support/recording-logger.js';

export const codec = createPolicyCodec(loadPolicyProtos());

/** What is torn down with the test. */
export interface Teardown {
  teardown(end: () => void | Promise<void>): void;
}

/** A policy server behind real gRPC, whose answers are the test's. */
export interface RemoteRig {
  readonly backend: FakePolicyServer;
  /** The attributes of every report, one list for each call. */
  readonly reports: (readonly AttributeBag[])[];
  readonly logger: ReturnType<typeof createRecordingLogger>;
  readonly transport: GrpcPolicyTransport;
  readonly address: string;
  /** Ends the server at once, as a crash would. */
  kill(): void;
  /** Serves at the same address as before. */
  restart(): Promise<void>;
}

export async function startRemote(t: Teardown, metadata?: Readonly<Record<string, string>>): Promise<RemoteRig> {
  const backend = createFakePolicyServer();
  const logger = createRecordingLogger();
  const reports: (readonly AttributeBag[])[] = [];
  let server: Server | undefined;
  const serve = async (port: number): Promise<number> => {
    server = new Server();
    const acceptReports = (bags: readonly AttributeBag[]): void => void reports.push(bags);
    createPolicyService({ answer: backend.check, acceptReports, codec, logger }).addTo(server);
    return listen(server, port);
  };
  const port = await serve(0);
  const address = `127.0.0.1:${port}`;
  const transport = createGrpcPolicyTransport(address, { codec, ...(metadata && { metadata }) });
  t.teardown(() => {
    transport.close();
    server?.forceShutdown();
  });
  return {
    backend,
    reports,
    logger,
    transport,
    address,
    kill: () => server?.forceShutdown(),
    restart: async () => void (await serve(port)),
  };
}

export function listen(
  server: Server,
  port = 0,
  credentials: ServerCredentials = ServerCredentials.createInsecure(),
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, credentials, (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
}
