import type { NodeIdentity } from '../../../bench/wire/node-message.js';
import type { Teardown } from './cleanup.js';
import { ProxyClient } from './proxy-client.js';
import type { RunningServer } from './running-server.js';

/** A proxy that has everything it asks for; it goes with the test. */
export async function connectProxy(t: Teardown, server: RunningServer, node: NodeIdentity): Promise<ProxyClient> {
  const proxy = new ProxyClient(server.grpcPort, node);
  t.teardown(() => proxy.close());
  await proxy.settled();
  return proxy;
}
