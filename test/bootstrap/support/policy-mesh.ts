import { createTempFolder } from '../../sources/support/temp-folder.js';
import { eventually } from '../../support/eventually.js';
import { writeWhole } from '../../support/write-whole.js';
import type { Teardown } from './cleanup.js';
import { documents, endpoints, service } from './manifests.js';
import { connectPolicyClient } from './policy-client.js';
import { startPolicyProcess } from './policy-process.js';
import { type RunningServer, startServer } from './running-server.js';

/** The host of the service web. */
export const WEB = 'web.shop.svc.cluster.local';

/** A quota for every request to web. */
export function policy(quota: string): string {
  const head = (kind: string) => ({
    apiVersion: 'config.mesh.internal/v1alpha2',
    kind,
    metadata: { name: 'web', namespace: 'shop' },
  });
  return documents(
    JSON.stringify({ ...head('QuotaSpec'), spec: { rules: [{ quotas: [{ quota, charge: 1 }] }] } }),
    JSON.stringify({
      ...head('QuotaSpecBinding'),
      spec: { services: [{ name: 'web' }], quotaSpecs: [{ name: 'web' }] },
    }),
  );
}

/** A mesh config that names a policy server. */
export const MESH = 'mixerCheckServer: policy.mesh-system.svc.cluster.local:15016\n';

/** A discovery server whose mesh has the service web, with a policy. */
export async function startDiscovery(t: Teardown, flags: readonly string[] = []): Promise<RunningServer> {
  const server = await startServer(t, {
    files: { 'web.yaml': documents(service('web'), endpoints('web', '10.0.0.1')), 'policy.yaml': policy('requests') },
    flags,
  });
  await writeWhole(server.meshConfigFile, MESH);
  await untilInForce(server, 'policy.mesh-system.svc.cluster.local:15016');
  return server;
}

/** Waits until snapshots have the mesh config: a policy server that connects earlier is ready without policies. */
export async function untilInForce({ http }: RunningServer, checkServer: string): Promise<void> {
  const inForce = (): Promise<{ policy: { mixerCheckServer: string } }> => http.json('/debug/mesh');
  await eventually(
    `the check server is "${checkServer}"`,
    async () => (await inForce()).policy.mixerCheckServer === checkServer,
  );
}

/** Settings of a policy server that limit the quota of `startDiscovery`. */
export function limits(maxAmount: number): string {
  return JSON.stringify({ quotas: [{ name: 'requests', maxAmount, validDuration: '1h' }] });
}

/** Writes the settings of a policy server to a file, which is removed when the test ends. */
export async function configFile(t: Teardown, text: string): Promise<string> {
  const folder = await createTempFolder();
  t.teardown(() => folder.dispose());
  await folder.write('policy.yaml', text);
  return folder.at('policy.yaml');
}

/**
 * A policy server of a mesh, which need not be ready yet, and a client that asks it.
 *
 * @param file its settings
 */
export async function startPolicyServer(t: Teardown, { grpcPort }: Pick<RunningServer, 'grpcPort'>, file: string) {
  const server = await startPolicyProcess(t, ['--discoveryAddress', `127.0.0.1:${grpcPort}`, '--policyConfig', file]);
  return { server, client: connectPolicyClient(t, server.policyPort) };
}

export async function untilReady({ monitoring }: Pick<RunningServer, 'monitoring'>): Promise<void> {
  await eventually('it is ready', async () => (await monitoring.get('/ready')).status === 200);
}
