import { randomInt } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSpiffeId } from '../../../src/model/spiffe-id.js';
import type { ApiServer } from '../../counterparts/kubernetes/api-server.js';
import type { KubernetesManifest } from '../../counterparts/kubernetes/kubernetes-client.js';
import { type ManagedProcess, startManagedProcess } from '../../counterparts/managed-process.js';
import { programFile } from '../../counterparts/program-file.js';
import { createPluggedInAuthority, createRoot, issueFor, type KeyPair } from '../../e2e/plugged-in-authority.js';
import { eventually } from '../../support/eventually.js';
import { MESHD_USER } from '../../webhooks/cluster/webhook-rig.js';
import type { AttackTarget } from './attack.js';
import { type AttackedCluster, account } from './attacked-cluster.js';
import { createMemoryGroup } from './memory-limit.js';
import { type MemoryWatch, watchResidentMemory } from './resident-memory.js';
import { readShippedLimits } from './shipped-limits.js';
import { ATTACKERS, VICTIM } from './tenants.js';

const MAIN = programFile('navigator-discovery');
const SERVER_NAME = 'meshd.mesh-system.svc';

export interface AttackedServerOptions {
  /** Added to the environment of the server. */
  readonly env?: Readonly<Record<string, string>>;
  /** Added to the options of Node that `manifests/` has, such as `--cpu-prof`. */
  readonly nodeOptions?: string;
  /** Added to the flags of the server. */
  readonly flags?: readonly string[];
  /** Of attacks that act at random; another one each time by default. */
  readonly seed?: number;
  /** YAML; default: one quota of a billion requests an hour for each API key. */
  readonly policyConfig?: string;
}

/** A whole server beside a cluster, under the memory limit of `manifests/`. */
export interface AttackedServer {
  readonly api: ApiServer;
  readonly target: AttackTarget;
  readonly process: ManagedProcess;
  readonly memory: MemoryWatch;
  readonly memoryLimitBytes: number;
  /** Whether the kernel enforces the limit; elsewhere only the samples of `memory` show it. */
  readonly isLimited: boolean;
  /** The sidecar of `books` in `shop`. */
  readonly victim: KeyPair;
  /** A certificate of the mesh for any identity. @param id a SPIFFE id */
  issue(id: string): Promise<KeyPair>;
  /** One line of /metrics by its name and labels; undefined when it is not there. */
  metric(series: string): Promise<number | undefined>;
  close(): Promise<void>;
}

/** Restores the cluster, and starts the control plane beside it, with the rights of `manifests/`. */
export async function startAttackedServer(
  cluster: AttackedCluster,
  {
    env = {},
    flags = [],
    policyConfig = DEFAULT_POLICY_CONFIG,
    seed = randomInt(2 ** 32),
    nodeOptions: moreNodeOptions = '',
  }: AttackedServerOptions = {},
): Promise<AttackedServer> {
  const undo: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    await cluster.restore();
    const { api } = cluster;
    const folder = await mkdtemp(join(tmpdir(), 'navigator-attack-'));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    const root = await createRoot();
    const authority = await createPluggedInAuthority(root);
    undo.push(() => authority.remove());
    await writeFile(join(folder, 'mesh.yaml'), MESH_CONFIG);
    await writeFile(join(folder, 'policy.yaml'), policyConfig);

    const { memoryBytes, nodeOptions } = readShippedLimits();
    const group = createMemoryGroup(`navigator-attack-${process.pid}-${Date.now()}`, memoryBytes);
    if (group !== undefined) undo.push(() => group.remove());
    const addresses = [
      '--grpcAddr',
      '--httpAddr',
      '--monitoringAddr',
      '--policyAddr',
      '--secureGRPCAddr',
      '--httpsAddr',
    ];
    const command = [
      ...['setpriv', '--pdeathsig', 'KILL', process.execPath, MAIN, 'discovery', '--log_as_json'],
      ...addresses.flatMap((flag) => [flag, '127.0.0.1:0']),
      ...['--orchconfig', await api.kubeconfigOf(MESHD_USER)],
      ...['--meshConfig', join(folder, 'mesh.yaml'), '--policyConfig', join(folder, 'policy.yaml')],
      ...flags,
    ];
    const managed = startManagedProcess({
      name: 'discovery',
      command: group?.enter(command) ?? command,
      env: {
        NODE_OPTIONS: `${nodeOptions} ${moreNodeOptions}`,
        ROOT_CA_DIR: authority.folder,
        POD_NAME: 'meshd-0',
        NAV_ENABLE_STATUS: 'true',
        NAV_ENABLE_ANALYSIS: 'true',
        DNS_ADDR: '127.0.0.1:0',
        ...env,
      },
    });
    undo.push(() => managed.stop('SIGKILL'));
    const ready = await readyLine(managed);
    const [http = 0, monitoring = 0] = (ready['http'] as readonly string[]).map(portOf);
    const ports = {
      grpc: portOf(ready['grpc']),
      secureGrpc: portOf(ready['secureGrpc']),
      https: portOf(ready['https']),
      policy: portOf(ready['policy']),
      dns: portOf(ready['dns']),
      http,
      monitoring,
    };
    const memory = watchResidentMemory(managed.child.pid ?? 0);
    undo.push(() => memory.stop());
    // A certificate counts while its service account exists.
    const issue = async (id: string): Promise<KeyPair> => {
      await api.client.apply(accountOf(id));
      return issueFor(root, id);
    };
    const target: AttackTarget = {
      host: '127.0.0.1',
      ports,
      root: root.roots,
      serverName: SERVER_NAME,
      credentials: await issue(`spiffe://cluster.local/ns/${ATTACKERS}/sa/attacker`),
      kubeconfig: api.kubeconfig,
      processId: managed.child.pid ?? 0,
      seed,
    };
    return {
      api,
      target,
      process: managed,
      memory,
      memoryLimitBytes: memoryBytes,
      isLimited: group !== undefined,
      victim: await issue(`spiffe://cluster.local/ns/${VICTIM.namespace}/sa/${VICTIM.serviceAccount}`),
      issue,
      metric: async (series) => {
        const text = await (await fetch(`http://127.0.0.1:${ports.monitoring}/metrics`)).text();
        const line = text.split('\n').find((each) => each.startsWith(`${series} `));
        return line === undefined ? undefined : Number(line.slice(series.length + 1));
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const MESH_CONFIG = `
mixerCheckServer: embedded
mixerReportServer: embedded
disablePolicyChecks: false
disableMixerHttpReports: false
policyCheckFailOpen: false
`;

const DEFAULT_POLICY_CONFIG = `
quotas:
  - name: requests
    maxAmount: 1000000000
    validDuration: 1h
    dimensions: [request.api_key]
storage: { type: memory }
`;

function accountOf(id: string): KubernetesManifest {
  const { namespace, serviceAccount } = parseSpiffeId(id) ?? { namespace: 'default', serviceAccount: 'default' };
  return account(namespace, serviceAccount);
}

/** The log line that names all ports. */
async function readyLine(managed: ManagedProcess): Promise<Readonly<Record<string, unknown>>> {
  const find = (): string | undefined =>
    managed.lines.find((line) => line.includes('"discovery server is ready"') && line.startsWith('{'));
  await eventually('the server under attack is ready', () => find() !== undefined || !managed.isRunning());
  const line = find();
  if (line === undefined) throw new Error(`the server ended before it was ready: ${managed.tail()}`);
  return JSON.parse(line) as Record<string, unknown>;
}

function portOf(address: unknown): number {
  return Number(String(address).split(':').at(-1));
}
