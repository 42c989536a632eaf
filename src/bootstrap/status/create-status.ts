import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import type { KindRegistry } from '../../config/kinds.js';
import { shortTypeName } from '../../envoy/type-urls.js';
import type { ResourceGenerator } from '../../generators/generator.js';
import type { ConfigProblem } from '../../introspection/views.js';
import type { ProxyConnection } from '../../model/proxy-connection.js';
import { CONFIG_VERSION_LENGTH } from '../../push/distribution-ledger.js';
import type { Distribution } from '../../push/distributor.js';
import type { DistributionReport } from '../../status/distribution/distribution-report.js';
import { type ConfigHistory, createLocalProgress } from '../../status/distribution/local-progress.js';
import { createResourcePaths } from '../../status/distribution/resource-path.js';
import { createReportPublisher } from '../../status/kubernetes/report-publisher.js';
import type { Logger } from '../../telemetry/logger.js';
import { changeOf } from '../change-of.js';
import type { Cluster, ClusterConnection } from '../cluster-connection.js';
import { performDuty } from './perform-duty.js';
import { createSettingsComplaints } from './settings-complaints.js';
import { statusDuties } from './status-duties.js';
import { type FactSources, readFacts } from './status-facts.js';
import type { StatusSettings } from './status-settings.js';
import { stopInTime } from './stop-in-time.js';

export interface StatusParts extends Pick<FactSources, 'problems' | 'messages'> {
  readonly settings: StatusSettings;
  readonly cluster: Pick<ClusterConnection, 'open'>;
  readonly kinds: KindRegistry;
  /** Problems of settings whose present content is not in force. */
  readonly refusedSettings: () => readonly ConfigProblem[];
  readonly distributor: Pick<Distribution, 'context'> & {
    readonly generators: ReadonlyMap<string, Pick<ResourceGenerator, 'affectedBy'>>;
  };
  /** Undefined while NAV_ENABLE_CONFIG_DISTRIBUTION_TRACKING is false. */
  readonly history: ConfigHistory | undefined;
  readonly connections: { list(): readonly ProxyConnection[] };
  /** Scope `status`. */
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Writes the status of each object into the cluster (docs/status.md, docs/analysis.md). */
export interface StatusRuntime {
  /**
   * Starts. Settles when the address of the API server is known; an unreachable API server is waited for.
   *
   * @throws ClusterAccessError when there is no cluster to write to
   */
  start(): Promise<void>;
  /** A proxy has connected or disconnected, or what it has acknowledged or rejected has changed. */
  connectionsChanged(): void;
  /** Stops. Settles when running writes are answered, the Leases are released and the report is removed. */
  stop(): Promise<void>;
}

/** Interval at which the report of this instance and the facts about objects are compared with the last ones. */
const PERIOD_MS = 500;

/** Undefined when neither NAV_ENABLE_STATUS nor NAV_ENABLE_ANALYSIS is true: nothing is read or written. */
export function createStatus(parts: StatusParts): StatusRuntime | undefined {
  const { settings, kinds, distributor, logger, clock } = parts;
  if (!settings.hasConditions && !settings.hasMessages) return undefined;
  const definitions = kinds.definitions.filter(({ group }) => group.endsWith(`.${kinds.meshDomain}`));
  const progress =
    parts.history &&
    createLocalProgress({
      history: parts.history,
      context: () => distributor.context,
      connections: parts.connections,
      isPluginOn: settings.isPluginOn,
      kinds: definitions.map(({ kind }) => kind),
      affects: (key, typeUrl, proxyType) =>
        distributor.generators.get(typeUrl)?.affectedBy(changeOf(key), proxyType, distributor.context) ?? false,
      configVersionOfNonce: (nonce) => nonce.slice(0, CONFIG_VERSION_LENGTH),
      shortTypeName,
    });
  // An instance without a name gets a random one: two such instances must not share a Lease.
  const identity = settings.podName === '' ? `unknown-${randomUUID()}` : settings.podName;
  const { namespace, revision } = settings;
  const { meshDomain } = kinds;
  const paths = createResourcePaths(definitions);

  const ownReport = (): DistributionReport | undefined => {
    const measured = progress?.measure();
    return measured && { reporter: identity, revision, progress: measured };
  };

  const run = ({ send, createWatcher }: Cluster): (() => Promise<void>) => {
    const common = { send, clock, logger, random: Math.random };
    const problems = parts.refusedSettings;
    const settingsComplaints = createSettingsComplaints({ send, problems, namespace, pod: settings.pod });
    const duties = statusDuties(revision, meshDomain).map((duty) =>
      performDuty({
        ...common,
        ...settings,
        duty,
        identity,
        meshDomain,
        createWatcher: () => createWatcher(logger),
        definitions,
        paths,
        complaints: duty.tellsSettings ? settingsComplaints : () => [],
        ownReport,
        facts: (reports) => readFacts({ ...parts, context: () => distributor.context, reports }),
      }),
    );
    const publisher = createReportPublisher({
      ...common,
      namespace,
      configMap: `${identity}-distribution`,
      pod: settings.pod,
      meshDomain,
      paths,
    });

    let cancelTick = (): void => undefined;
    let last: readonly unknown[] = [];
    const tick = (): void => {
      const own = ownReport();
      if (own !== undefined) void publisher.publish(own);
      const facts = [
        distributor.context,
        own?.progress,
        JSON.stringify([parts.problems(), parts.messages(), parts.refusedSettings()]),
      ];
      if (facts.some((fact, index) => fact !== last[index])) for (const duty of duties) duty.changed();
      last = facts;
      for (const duty of duties) duty.clean();
      cancelTick = clock.schedule(PERIOD_MS, tick);
    };
    tick();
    return async () => {
      cancelTick();
      await Promise.all(duties.map((duty) => duty.stop()));
      await publisher.withdraw();
    };
  };

  let isStopped = false;
  let end: (() => Promise<void>) | undefined;
  return {
    start: async () => {
      const cluster = await parts.cluster.open();
      if (!isStopped) end = run(cluster);
    },
    connectionsChanged: () => progress?.connectionsChanged(),
    stop: async () => {
      isStopped = true;
      await stopInTime(end?.() ?? Promise.resolve(), clock);
    },
  };
}
