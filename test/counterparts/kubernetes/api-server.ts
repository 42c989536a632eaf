import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.js';
import { findFreePorts } from '../free-ports.js';
import { type ManagedProcess, startManagedProcess } from '../managed-process.js';
import { createKubernetesClient, type KubernetesClient } from './kubernetes-client.js';

export interface ApiServerOptions {
  /** The testcluster binary (find-testcluster.ts). */
  readonly binary: string;
  /** Runs kube-controller-manager as well: endpoints and slices of services, service accounts. Default false. */
  readonly controllers?: boolean;
  /** Further flags of kube-apiserver. */
  readonly flags?: readonly string[];
  /** Where etcd keeps its data, which outlives the server; by default in its own folder. */
  readonly dataFolder?: string;
}

/** A real etcd and kube-apiserver on loopback ports of their own. Pods do not run: a test writes their status. */
export interface ApiServer {
  readonly url: string;
  /** Everything of it, its logs too. */
  readonly folder: string;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** As the administrator. */
  readonly client: KubernetesClient;
  ca(): Buffer;
  /** The administrator's bearer token. */
  readonly adminToken: string;
  /**
   * Writes a kubeconfig for the administrator, or for one of READERS, which have only the rights that RBAC grants.
   *
   * @param server default: this server
   */
  kubeconfigOf(user: string, server?: string): Promise<string>;
  /** Ends the API server; etcd stays. Default signal SIGKILL, as when its machine goes. */
  stopApi(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again, on the same port. */
  startApi(): Promise<void>;
  /** Ends both, forgets everything that was stored, and starts both again: a cluster restored from nothing. */
  reset(): Promise<void>;
  /** Makes etcd forget all old revisions. */
  compact(): Promise<void>;
  close(): Promise<void>;
}

/** Users without any rights, one for each test of a file that shares an API server. */
export const READERS: readonly string[] = Array.from({ length: 10 }, (_, index) => `reader-${index}`);

const tokenOf = (user: string): string => `${user}-token`;
const START_TIMEOUT_MS = 120_000;

/** Starts both and waits until they serve (about three seconds). */
export async function startApiServer({
  binary,
  controllers = false,
  flags = [],
  dataFolder,
}: ApiServerOptions): Promise<ApiServer> {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-kubernetes-'));
  const [etcdPort, peerPort, apiPort] = (await findFreePorts(3)) as [number, number, number];
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const url = `https://127.0.0.1:${apiPort}`;
  const caFile = join(folder, 'certs/apiserver.crt');
  const keyFile = join(folder, 'service-accounts.key');
  const kubeconfig = join(folder, 'kubeconfig');
  let generation = 0;
  let etcd: ManagedProcess | undefined;
  let api: ManagedProcess | undefined;
  let manager: ManagedProcess | undefined;

  const ca = (): Buffer => readFileSync(caFile);
  const client = createKubernetesClient(url, tokenOf('admin'), ca);
  const run = (name: string, ...args: string[]): ManagedProcess =>
    startManagedProcess({ name, command: ['setpriv', '--pdeathsig', 'KILL', binary, name, ...args] });

  const waitFor = (what: string, process: () => ManagedProcess | undefined, look: () => Promise<boolean>) =>
    eventually(
      what,
      async () => {
        const running = process();
        if (running !== undefined && !running.isRunning()) return Promise.reject(new Error(running.tail(5)));
        return await look();
      },
      { timeoutMs: START_TIMEOUT_MS },
    );

  const startEtcd = async (): Promise<void> => {
    const peerUrl = `http://127.0.0.1:${peerPort}`;
    etcd = run(
      'etcd',
      ...[
        '--data-dir',
        generation === 0 && dataFolder !== undefined ? dataFolder : join(folder, `etcd-${generation}`),
        '--unsafe-no-fsync',
        '--logger',
        'zap',
        '--log-level',
        'error',
      ],
      ...['--listen-client-urls', etcdUrl, '--advertise-client-urls', etcdUrl],
      ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
      ...['--initial-cluster', `default=${peerUrl}`],
    );
    await waitFor(
      'etcd',
      () => etcd,
      async () => (await fetch(`${etcdUrl}/health`)).ok,
    );
  };

  const startApi = async (): Promise<void> => {
    api = run(
      'kube-apiserver',
      ...['--etcd-servers', etcdUrl, '--cert-dir', join(folder, 'certs')],
      ...['--secure-port', String(apiPort), '--bind-address', '127.0.0.1'],
      ...['--service-account-issuer', 'https://kubernetes.default.svc', '--service-account-key-file', keyFile],
      ...['--service-account-signing-key-file', keyFile, '--token-auth-file', join(folder, 'tokens.csv')],
      ...['--authorization-mode', 'RBAC', '--service-cluster-ip-range', '10.96.0.0/16'],
      // Pods name service accounts that no controller makes here.
      ...['--disable-admission-plugins', 'ServiceAccount', ...flags],
    );
    await waitFor(
      'the API server',
      () => api,
      async () => existsSync(caFile) && (await client.send('GET', '/readyz')).status === 200,
    );
  };

  const kubeconfigOf: ApiServer['kubeconfigOf'] = async (user, server = url) => {
    const file = join(folder, `kubeconfig-${user}-${new URL(server).port}`);
    // Tests that run at the same time read one file: written in place, it would be empty for a moment.
    const next = `${file}.${randomUUID()}`;
    await writeFile(next, kubeconfigText(server, caFile, user));
    await rename(next, file);
    return file;
  };

  const server = {
    url,
    folder,
    kubeconfig,
    client,
    ca,
    adminToken: tokenOf('admin'),
    kubeconfigOf,
    stopApi: async (signal: NodeJS.Signals = 'SIGKILL') => await api?.stop(signal),
    startApi,
    reset: async () => {
      await Promise.all([api?.stop('SIGKILL'), etcd?.stop('SIGKILL')]);
      generation += 1;
      await startEtcd();
      await startApi();
    },
    compact: async () => {
      const call = async (path: string, body: unknown): Promise<{ header: { revision: string } }> => {
        const answer = await fetch(`${etcdUrl}/v3/${path}`, { method: 'POST', body: JSON.stringify(body) });
        if (!answer.ok) throw new Error(`etcd ${path}: ${await answer.text()}`);
        return (await answer.json()) as { header: { revision: string } };
      };
      const { header } = await call('maintenance/status', {});
      await call('kv/compaction', { revision: header.revision, physical: true });
    },
    close: async () => {
      client.close();
      await manager?.stop('SIGKILL');
      await Promise.all([api?.stop('SIGKILL'), etcd?.stop('SIGKILL')]);
      await rm(folder, { recursive: true, force: true });
    },
  } satisfies ApiServer;

  try {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const line = (user: string, groups = ''): string => `${tokenOf(user)},${user},${user},"${groups}"\n`;
    const lines = [line('admin', 'system:masters'), ...READERS.map((user) => line(user))];
    await writeFile(join(folder, 'tokens.csv'), lines.join(''));
    await writeFile(kubeconfig, kubeconfigText(url, caFile, 'admin'));
    await startEtcd();
    await startApi();
    if (controllers) {
      manager = run(
        'kube-controller-manager',
        ...['--kubeconfig', kubeconfig, '--service-account-private-key-file', keyFile, '--root-ca-file', caFile],
        ...['--leader-elect=false', '--secure-port', '0', '--controllers', '*,-nodeipam,-cloud-node-lifecycle'],
      );
    }
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}

function kubeconfigText(server: string, caFile: string, user: string): string {
  // A plain-text server is one of our own proxies before the real one; the client library wants that said.
  const trust = server.startsWith('http:') ? { 'insecure-skip-tls-verify': true } : { 'certificate-authority': caFile };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, ...trust } }],
    users: [{ name: user, user: { token: tokenOf(user) } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user } }],
    'current-context': 'test',
  });
}
