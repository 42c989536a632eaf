import type { ExecutionContext } from 'ava';
import { createGrpcServer } from '../../src/xds/grpc-server.js';
import type { SessionEnvironment } from '../../src/xds/session-environment.js';
import { createRig, type Rig, type RigOptions } from './session-rig.js';

export const ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';

const SETTINGS = {
  host: '127.0.0.1',
  port: 0,
  keepaliveIntervalMs: 30_000,
  keepaliveTimeoutMs: 10_000,
  maxConnectionAgeMs: Number.MAX_SAFE_INTEGER,
  maxConcurrentStreams: 1000,
  maxReceiveMessageBytes: 4_194_304,
};

export interface RigServer extends Rig {
  readonly port: number;
}

/** Serves a rig over plaintext gRPC on the loopback device until the test ends. */
export async function startRigServer(
  t: ExecutionContext,
  options: RigOptions = {},
  overrides: Partial<SessionEnvironment> = {},
): Promise<RigServer> {
  const rig = createRig(options);
  const hooks = { closed: rig.distributor.remove };
  const server = createGrpcServer(SETTINGS, { ...rig.environment, ...overrides }, hooks, rig.logger);
  const port = await server.start();
  t.teardown(() => server.stop(1000));
  return { ...rig, port };
}
