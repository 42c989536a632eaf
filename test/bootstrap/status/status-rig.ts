import type { ExecutionContext } from 'ava';
import { systemClock } from '../../../src/base/clock.js';
import { createClusterConnection } from '../../../src/bootstrap/cluster-connection.js';
import { createStatus } from '../../../src/bootstrap/status/create-status.js';
import type { StatusSettings } from '../../../src/bootstrap/status/status-settings.js';
import { createKindRegistry } from '../../../src/config/kinds.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { clustersAffectedBy } from '../../../src/generators/affected-by.js';
import type { ResourceGenerator } from '../../../src/generators/generator.js';
import { extensionConfigsAffectedBy } from '../../../src/generators/policy/affected-by.js';
import type { ConfigProblem } from '../../../src/introspection/views.js';
import type { ProxyConnection } from '../../../src/model/proxy-connection.js';
import type { PushContext } from '../../../src/model/push-context.js';
import { createDistributionLedger } from '../../../src/push/distribution-ledger.js';
import { ledgerChanges } from '../../../src/push/ledger-changes.js';
import { createKubernetesSource } from '../../../src/sources/kubernetes/kubernetes-source.js';
import { analysisInputOf } from '../../../src/status/analysis/analysis-input.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { MESH } from '../../generators/context-builder.js';
import { snapshot, storeWith } from '../../model/mesh-objects.js';
import { createRecordingLogger, type LogEntry } from '../../sources/support/recording-logger.js';
import { proxyAt, watchOf } from '../../status/distribution/support.js';

/** One instance of the control plane, with the cluster as its source; what proxies have is the test's to say. */
export interface StatusInstance {
  readonly log: readonly LogEntry[];
  /** A proxy of a workload's address connects, and acknowledges whatever there is at every moment. */
  connect(name: string, ip: string): void;
  /** From now on the proxy acknowledges nothing more; with a text it rejects what changed since. */
  freeze(name: string, rejection?: string): void;
  /** The proxy acknowledges everything again. */
  release(name: string): void;
  disconnect(name: string): void;
  stop(): Promise<void>;
}

export interface StatusInstanceOptions {
  readonly podName: string;
  readonly kubeconfig: string;
  /** Where everything of the test is: objects, Lease, reports. */
  readonly namespace: string;
  readonly settings?: Partial<StatusSettings>;
  /** Quotas that have a limit; default `requests`. */
  readonly limitedQuotas?: readonly string[];
  /** Default none. */
  readonly refusedSettings?: readonly ConfigProblem[];
}

interface Connected {
  readonly name: string;
  readonly ip: string;
  frozen: { readonly root: string; readonly rejection: string | undefined } | undefined;
}

export async function startStatusInstance(
  t: ExecutionContext,
  {
    podName,
    kubeconfig,
    namespace,
    settings,
    limitedQuotas = ['requests'],
    refusedSettings = [],
  }: StatusInstanceOptions,
): Promise<StatusInstance> {
  const kinds = createKindRegistry('mesh.internal');
  const logger = createRecordingLogger();
  const policy = { ...MESH.policy, mixerCheckServer: 'embedded', disablePolicyChecks: false };
  const store = storeWith({ revision: settings?.revision ?? '' }, { mesh: { ...MESH, policy } });
  const ledger = createDistributionLedger(60_000);
  const connected = new Map<string, Connected>();
  let context: PushContext | undefined;

  const push = (): void => {
    const previous = context;
    context = snapshot(store, previous);
    ledger.record(ledgerChanges(previous, context, 'everything'), performance.now());
    status?.connectionsChanged();
  };
  const connectionOf = ({ name, ip, frozen }: Connected): ProxyConnection => {
    const proxy = proxyAt(name, ip, { configNamespace: namespace });
    const root = frozen?.root ?? ledger.configVersion;
    const rejection =
      frozen?.rejection === undefined ? undefined : { message: frozen.rejection, nonce: `${ledger.configVersion}=1` };
    const watches = [watchOf(TypeUrl.cluster, root, rejection), watchOf(TypeUrl.extensionConfig, root)];
    return {
      id: `${name}-1`,
      proxy,
      peer: `${ip}:1`,
      connectedAt: new Date(0),
      watches: new Map(watches.map((watch) => [watch.typeUrl, watch])),
    };
  };

  const source = createKubernetesSource({
    access: { orchConfig: kubeconfig, environment: {} },
    cluster: 'east',
    kinds,
    namespaces: [namespace],
    readsCoreKinds: true,
    readsMeshKinds: true,
    useEndpointSlice: false,
    withdrawsInvalid: false,
    resyncMs: 0,
    logger,
    clock: systemClock,
    recorder: {
      event: () => undefined,
      converted: () => undefined,
      failed: () => undefined,
      refused: () => undefined,
      wellAgain: () => undefined,
    },
    userAgent: 'navigator-discovery/test',
  });
  const generators = new Map<string, Pick<ResourceGenerator, 'affectedBy'>>([
    [TypeUrl.cluster, { affectedBy: clustersAffectedBy }],
    [TypeUrl.extensionConfig, { affectedBy: extensionConfigsAffectedBy }],
  ]);
  const enforcement = { isPluginOn: true, limitedQuotas: new Map(limitedQuotas.map((quota) => [quota, 1000])) };
  const cluster = createClusterConnection({
    access: { orchConfig: kubeconfig, environment: {} },
    userAgent: 'navigator-discovery/test',
    clock: systemClock,
  });
  const status = createStatus({
    settings: {
      hasConditions: true,
      hasMessages: true,
      isPluginOn: true,
      perSecond: 100,
      burst: 500,
      namespace,
      appNamespaces: [namespace],
      podName,
      revision: '',
      ...settings,
    },
    cluster,
    kinds,
    distributor: {
      get context() {
        return context;
      },
      generators,
    },
    history: ledger,
    connections: { list: () => [...connected.values()].map(connectionOf) },
    problems: source.reports,
    refusedSettings: () => refusedSettings,
    messages: () => (context === undefined ? [] : analyze(analysisInputOf(context, enforcement))),
    logger,
    clock: systemClock,
  });

  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await status?.stop();
    await source.stop();
    cluster.close();
  };
  t.teardown(stop);
  await source.start((batch) => {
    store.apply(batch);
    push();
  });
  await status?.start();
  const find = (name: string): Connected => {
    const found = connected.get(name);
    if (found === undefined) throw new Error(`${name} is not connected`);
    return found;
  };
  return {
    log: logger.entries,
    connect: (name, ip) => {
      connected.set(name, { name, ip, frozen: undefined });
      status?.connectionsChanged();
    },
    freeze: (name, rejection) => {
      find(name).frozen = { root: find(name).frozen?.root ?? ledger.configVersion, rejection };
      status?.connectionsChanged();
    },
    release: (name) => {
      find(name).frozen = undefined;
      status?.connectionsChanged();
    },
    disconnect: (name) => {
      connected.delete(name);
      status?.connectionsChanged();
    },
    stop,
  };
}
