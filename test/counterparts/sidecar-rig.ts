import { type Agent, startAgent } from './agent.js';
import { type Envoy, startEnvoy } from './envoy.js';
import type { EnvoyJson } from './envoy-bootstrap.js';
import { createHostNetwork } from './host-network.js';
import type { NamespaceMode } from './namespace-mode.js';
import { createNetwork, type Network, type NetworkNamespace, type WorkloadOptions } from './network.js';

/** A workload's namespace with the agent in it. */
export interface Workload {
  readonly namespace: NetworkNamespace;
  readonly agent: Agent;
}

/** A network whose parts end together. close() stops the latest part first, and continues if a part fails to stop. */
export interface Rig {
  readonly network: Network;
  /** In the router's namespace: servers outside of the mesh, and the control plane's debug pages. */
  readonly routerAgent: Agent;
  addWorkload(options: WorkloadOptions): Promise<Workload>;
  addEnvoy(workload: Workload, binary: string, bootstrap: EnvoyJson): Envoy;
  /** Something more to stop at the end. */
  defer(stop: () => Promise<void>): void;
  close(): Promise<void>;
}

export async function createRig(mode: NamespaceMode | 'none'): Promise<Rig> {
  const network = mode === 'none' ? createHostNetwork() : await createNetwork(mode);
  const stops: (() => Promise<void>)[] = [() => network.close()];
  const addAgent = (namespace: NetworkNamespace): Agent => {
    const agent = startAgent(namespace);
    stops.push(() => agent.stop());
    return agent;
  };
  return {
    network,
    routerAgent: addAgent(network.router),
    async addWorkload(options) {
      const namespace = await network.addWorkload(options);
      return { namespace, agent: addAgent(namespace) };
    },
    addEnvoy(workload, binary, bootstrap) {
      const envoy = startEnvoy({ binary, ...workload, bootstrap });
      stops.push(() => envoy.stop());
      return envoy;
    },
    defer: (stop) => stops.push(stop),
    async close() {
      const failures: unknown[] = [];
      for (const stop of stops.splice(0).reverse()) await stop().catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw new AggregateError(failures, 'parts of the test network did not stop');
    },
  };
}
