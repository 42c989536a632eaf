import type { ExecutionContext } from 'ava';
import { type Agent, startAgent } from '../counterparts/agent.js';
import type { AdsAddress } from '../counterparts/envoy-bootstrap.js';
import { findRejections } from '../counterparts/envoy-rejections.js';
import type { Cluster } from '../counterparts/kubernetes/cluster.js';
import { meshService, meshWorkload } from '../counterparts/kubernetes/mesh-workload.js';
import { boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { eventually } from '../support/eventually.js';
import { countStatuses } from './policy-mesh.js';

/** A shop in a cluster: `web` of two pods, behind the services `web` and `free`, and `client` of one. */
export interface ClusterMesh {
  cluster: Cluster;
  /** In the client's pod. */
  client: Agent;
}

export const SHOP = ['--namespace', 'shop'] as const;
/** A pure wait, so that processes that get little processor time fail no test. */
const ROLLED_OUT = '--timeout=180s';
/**
 * For a rollout, for changes of files that the kubelet brings, and for programs of Kubernetes that connect again after an
 * API server was away, which they try every minute at last.
 */
export const PATIENT = { timeoutMs: 180_000, intervalMs: 200 };
/** How kubectl tells that the API server gave up a webhook, which has some seconds and may get no processor time. */
const LATE_WEBHOOK = /failed calling webhook [^\n]*context deadline exceeded/;

/** Objects for `kubectl apply -f -`. */
export const listOf = (items: readonly object[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

export async function podsOf(
  cluster: Cluster,
  namespace: readonly string[],
  selector: string,
): Promise<readonly string[]> {
  const output = await cluster.kubectl([...namespace, 'get', 'pods', '-l', selector, '-o', 'name']);
  return output
    .trim()
    .split('\n')
    .map((line) => line.replace('pod/', ''));
}

/**
 * `kubectl apply` of objects, again while a webhook does not answer in time. The test's log has each such answer.
 *
 * @throws Error with any other refusal
 */
export async function applyObjects(t: ExecutionContext, cluster: Cluster, objects: readonly object[]): Promise<string> {
  const outcome = await eventually(
    'webhooks answer in time',
    () =>
      cluster.kubectl(['apply', '-f', '-'], listOf(objects)).then(
        (output) => ({ output }),
        (refusal: unknown) => {
          if (!LATE_WEBHOOK.test(String(refusal))) return { refusal };
          t.log(`applied again: ${refusal}`);
          throw refusal;
        },
      ),
    PATIENT,
  );
  if ('refusal' in outcome) throw outcome.refusal;
  return outcome.output;
}

/** Waits for a Deployment. */
export async function rolledOut(cluster: Cluster, namespace: string, name: string): Promise<void> {
  await cluster.kubectl(['--namespace', namespace, 'rollout', 'status', `deployment/${name}`, ROLLED_OUT]);
}

/** Until API servers ask the webhooks, objects pass unasked and pods are refused. */
export async function webhooksAnswer(cluster: Cluster): Promise<void> {
  await eventually(
    'API servers ask both webhooks',
    async () => {
      const state = ['-o', 'jsonpath={.webhooks[*].failurePolicy} {.webhooks[*].clientConfig.caBundle}'];
      const validation = await cluster.kubectl([
        'get',
        'validatingwebhookconfiguration',
        'meshd-mesh-system',
        ...state,
      ]);
      const bundle = ['-o', 'jsonpath={.webhooks[0].clientConfig.caBundle}'];
      const injector = await cluster.kubectl([
        'get',
        'mutatingwebhookconfiguration',
        'mesh-sidecar-injector',
        ...bundle,
      ]);
      // Kubernetes makes failurePolicy Fail by itself, but has no roots.
      return /^Fail .+/.test(validation) && injector !== '';
    },
    PATIENT,
  );
}

/**
 * Installs the shop with kubectl and waits until its pods are ready.
 * @param discovery of the control plane; default: that of the manifests
 */
export async function installShop(cluster: Cluster, discovery?: AdsAddress): Promise<Agent> {
  const workloads = [
    { name: 'web', replicas: 2 },
    { name: 'client', replicas: 1 },
  ] as const;
  const common = { namespace: 'shop', ...(discovery === undefined ? {} : { discovery }) };
  await cluster.kubectl(['create', 'namespace', 'shop']);
  const objects = [
    ...workloads.map((workload) => meshWorkload({ ...common, ...workload })),
    meshService({ name: 'web', namespace: 'shop', workload: 'web', targetPort: 8080 }),
    meshService({ name: 'free', namespace: 'shop', workload: 'web', targetPort: 8081 }),
  ];
  await cluster.kubectl(['apply', '-f', '-'], listOf(objects));
  for (const { name } of workloads) {
    await rolledOut(cluster, 'shop', name);
  }
  const [pod = ''] = await podsOf(cluster, SHOP, 'app=client');
  return startAgent(cluster.enterPod(pod));
}

/**
 * Configuration that sidecars of the shop rejected, with their last log lines; empty if none. Each sidecar must have
 * accepted some configuration.
 */
export async function rejectionsIn(cluster: Cluster): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pod of [...(await podsOf(cluster, SHOP, 'app=web')), ...(await podsOf(cluster, SHOP, 'app=client'))]) {
    const agent = startAgent(cluster.enterPod(pod));
    try {
      const { body } = await agent.request('http://127.0.0.1:15000/stats?format=json');
      const { stats } = JSON.parse(body) as { stats: readonly { name?: string; value?: number }[] };
      const counters = stats.map(({ name = '', value = 0 }) => [name, value] as const);
      const rejections = findRejections(new Map(counters));
      const hasAccepted = counters.some(([name]) => name.endsWith('update_success'));
      if (rejections.length > 0 || !hasAccepted) found.push(`${rejections.join()} ${cluster.tail('shop', pod)}`);
    } finally {
      await agent.stop();
    }
  }
  return found;
}

interface ClusterStatus {
  readonly name: string;
  readonly host_statuses?: readonly { readonly address: { readonly socket_address: { readonly address: string } } }[];
}

/** Waits until the sidecar of a pod knows the policy servers by their own addresses: those of the pods of meshd. */
export async function knowsPolicyServers(cluster: Cluster, pod: string): Promise<void> {
  const agent = startAgent(cluster.enterPod(pod));
  let seen = '';
  try {
    await eventually(
      `${pod} knows every policy server`,
      async () => {
        const running = ['--field-selector', 'status.phase=Running', '-o', 'jsonpath={.items[*].status.podIP}'];
        const meshd = ['-n', 'mesh-system', 'get', 'pods', '-l', 'app.kubernetes.io/name=meshd', ...running];
        const wanted = (await cluster.kubectl(meshd)).split(' ').sort().join();
        const { body } = await agent.request('http://127.0.0.1:15000/clusters?format=json');
        const { cluster_statuses: clusters } = JSON.parse(body) as { cluster_statuses: readonly ClusterStatus[] };
        const hosts = clusters.find(({ name }) => name === 'policy_check_server')?.host_statuses ?? [];
        const known = hosts.map(({ address }) => address.socket_address.address);
        seen = `${known.sort().join()} of ${wanted}`;
        return known.join() === wanted;
      },
      PATIENT,
    );
  } catch (cause) {
    throw new Error(`the policy servers that ${pod} knows: ${seen}`, { cause });
  } finally {
    await agent.stop();
  }
}

/**
 * Waits until `kubectl get` shows: valid, no missing reference, in force, on both proxies of the service.
 *
 * @param isInForce expected value of IN-FORCE
 */
export async function statusIsGood({ cluster }: ClusterMesh, isInForce = 'True'): Promise<void> {
  let line = '';
  await eventually(
    `status says that the QuotaSpec is in force: ${isInForce}`,
    async () => {
      line = await cluster.kubectl([...SHOP, 'get', 'quotaspecs', 'web', '--no-headers']);
      return /^(web +True +True) +(\w+) +2\/2 up to date /.exec(line)?.[2] === isInForce;
    },
    PATIENT,
  ).catch((cause: unknown) => {
    throw new Error(`the QuotaSpec has this status: ${line}`, { cause });
  });
  const current = [
    'get',
    'quotaspecs',
    'web',
    '-o',
    'jsonpath={.metadata.generation} {.status.conditions[*].observedGeneration}',
  ];
  await eventually(
    'the status belongs to the latest generation',
    async () => new Set((await cluster.kubectl([...SHOP, ...current])).split(' ')).size === 1,
    PATIENT,
  );
}

/** Statuses of concurrent requests from the client's pod. */
export async function statusesOf({ client }: ClusterMesh, url: string, count: number) {
  const requests = Array.from({ length: count }, () => ({ url }));
  return countStatuses(await client.call('requestMany', { requests, concurrency: 10 }));
}

/** Waits until both services of the shop answer by their names. */
export async function servicesAnswer(mesh: ClusterMesh): Promise<void> {
  await eventually('both services answer by their names', async () => {
    const [web, free] = [await statusesOf(mesh, 'http://web/', 10), await statusesOf(mesh, 'http://free/', 10)];
    return web[200] === 10 && free[200] === 10;
  });
}

/** Limits of the quotas that `closePath` charges. */
export function shopQuotas(books: number) {
  return [
    { name: 'closed', maxAmount: 0, validDuration: '1h' },
    { name: 'books', maxAmount: books, validDuration: '1h' },
  ] as const;
}

/**
 * Applies the QuotaSpec of `web`, which charges the quota `books` for /books and closes the path, and waits until both
 * pods of the service refuse that one.
 */
export async function closePath(t: ExecutionContext, mesh: ClusterMesh, path: string): Promise<void> {
  const rules = [
    { match: [{ 'request.path': { exact: path } }], quotas: [{ quota: 'closed', charge: 1 }] },
    { match: [{ 'request.path': { exact: '/books' } }], quotas: [{ quota: 'books', charge: 1 }] },
  ];
  const policies = boundQuotaSpec({ name: 'web', namespace: 'shop' }, ['web'], rules);
  await applyObjects(t, mesh.cluster, policies);
  await eventually(
    `${path} is closed`,
    async () => (await statusesOf(mesh, `http://web${path}`, 20))[429] === 20,
    PATIENT,
  );
}
