import type { ExecutionContext } from 'ava';
import { createGrpcServer } from '../../src/xds/grpc-server.js';
import type { SessionEnvironment } from '../../src/xds/session-environment.js';
import { loopbackListener } from '../support/grpc-listener.js';
import { createRig, type Rig, type RigOptions } from './session-rig.js';

export const ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';

const SETTINGS = loopbackListener();

export interface RigServer extends Rig {
  readonly port: number;
  /**
   * Ends the server early.
   *
   * @param graceMs how long connections have to end by themselves; default 1,000
   */
  stop(graceMs?: number): Promise<void>;
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
  const stop = (graceMs = 1000): Promise<void> => server.stop(graceMs);
  t.teardown(() => stop());
  return { ...rig, port, stop };
}
