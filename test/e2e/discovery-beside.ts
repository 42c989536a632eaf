import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cluster, NODE_ADDRESS } from '../counterparts/kubernetes/cluster.js';
import { type ManagedProcess, startManagedProcess } from '../counterparts/managed-process.js';
import { programFile } from '../counterparts/program-file.js';
import { projectRoot } from '../counterparts/project-root.js';
import { eventually } from '../support/eventually.js';

/** Where sidecars of the cluster find the server. */
export const BESIDE = { address: NODE_ADDRESS, port: 15010 } as const;

const SYSTEM = ['--namespace', 'mesh-system'];
/** Objects that a cluster needs for an external control plane. */
const NEEDED = ['00-namespace.yaml', '10-crds.yaml', '20-access.yaml'];

/** Mesh config with the embedded policy server. */
export function besideMeshConfig(disablePolicyChecks: boolean): string {
  return JSON.stringify({
    mixerCheckServer: 'embedded',
    mixerReportServer: 'embedded',
    disablePolicyChecks,
    defaultConfig: { discoveryAddress: `${BESIDE.address}:${BESIDE.port}` },
  });
}

/** A kubeconfig with the rights of the manifests' service account, and no others. */
async function restrictedKubeconfig(cluster: Cluster, folder: string): Promise<string> {
  const token = await cluster.kubectl([...SYSTEM, 'create', 'token', 'meshd']);
  const admin = await readFile(join(cluster.folder, 'kubeconfig'), 'utf8');
  const file = join(folder, 'kubeconfig');
  await writeFile(file, admin.replace('admin-token', token.trim()));
  return file;
}

/** Starts the server beside a fresh cluster, without webhooks; settles when it is ready. */
export async function startDiscoveryBeside(cluster: Cluster, quotas: readonly object[]): Promise<ManagedProcess> {
  for (const file of NEEDED) await cluster.kubectl(['apply', '-f', join(projectRoot(), 'manifests', file)]);
  const folder = join(cluster.folder, 'beside');
  await mkdir(folder);
  await writeFile(join(folder, 'policy'), JSON.stringify({ quotas }));
  // Without a file of it, for the server reads the ConfigMap.
  const meshConfig = `--from-literal=mesh=${besideMeshConfig(false)}`;
  await cluster.kubectl([...SYSTEM, 'create', 'configmap', 'mesh', meshConfig]);
  const flags = [
    ...['--orchconfig', await restrictedKubeconfig(cluster, folder), '--policyConfig', join(folder, 'policy')],
    // Outside a pod they would listen on loopback.
    ...['--grpcAddr', ':15010', '--policyAddr', ':15016', '--httpAddr', ':8080'],
    ...['--meshConfig', join(folder, 'no-mesh'), '--networksConfig', join(folder, 'no-networks')],
  ];
  const discovery = startManagedProcess({
    name: 'discovery beside the cluster',
    command: cluster.onNode([process.execPath, programFile('navigator-discovery'), 'discovery', ...flags]),
    // The sidecars of these pods have no certificates.
    env: { NAV_ENABLE_STATUS: 'true', NAV_ENABLE_ANALYSIS: 'true', NAV_POLICY_TLS: 'permissive', DNS_ADDR: '' },
  });
  await eventually('discovery is ready', () => {
    if (!discovery.isRunning()) throw new Error(discovery.tail());
    return discovery.lines.some((line) => line.includes('discovery server is ready'));
  });
  return discovery;
}
