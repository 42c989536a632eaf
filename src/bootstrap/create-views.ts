import type { Registry } from 'prom-client';
import type { Clock } from '../base/clock.js';
import type { KindRegistry } from '../config/kinds.js';
import type { QuotaLimit } from '../config/policy-server/policy-server-config.js';
import type { MessageJson } from '../envoy/message-json.js';
import { TypeUrl } from '../envoy/type-urls.js';
import type { ExpressionLanguage } from '../expressions/expression-types.js';
import { readAskedRequest } from '../inspect/policy/asked-request.js';
import { limitsIn } from '../inspect/policy/explain-quotas.js';
import { explainRequest } from '../inspect/policy/explain-request.js';
import { HttpProblem } from '../introspection/http-problem.js';
import type { Instances } from '../introspection/instances.js';
import type { PastRejection } from '../introspection/past-rejection.js';
import type { ReadinessProbe } from '../introspection/ready.js';
import type { ConfigProblem, Views } from '../introspection/views.js';
import { checkServerOf } from '../model/policy/policy-servers.js';
import type { PushActivity } from '../model/push-activity.js';
import type { PushContext } from '../model/push-context.js';
import { POLICY_TYPE_URLS } from '../policy/wire/call-metadata.js';
import type { DistributionLedger } from '../push/distribution-ledger.js';
import type { Distributor } from '../push/distributor.js';
import type { BuildInfo } from '../telemetry/build-info.js';
import type { Metrics } from '../telemetry/metrics.js';
import { createMetricsText } from '../telemetry/metrics-text.js';
import type { Connections } from '../xds/connections.js';
import type { PolicyRuntime } from './policy/policy-runtime.js';
import { type PushStatusSources, pushStatus, recordPushStatus } from './push-status.js';
import { createRejectedConfigs } from './rejected-configs.js';

export interface ViewParts {
  readonly build: BuildInfo;
  readonly messageJson: MessageJson;
  readonly distributor: Distributor;
  readonly connections: Connections;
  readonly ledger: DistributionLedger | undefined;
  readonly activity: PushActivity;
  rejections(): readonly PastRejection[];
  readonly kinds: KindRegistry;
  readonly metrics: Metrics;
  readonly registry: Registry;
  /** NAV_DEBUG_ADSZ_CONFIG */
  readonly adszConfigEnabled: boolean;
  /** Readiness probes of parts other than the sources. */
  readonly probes: readonly ReadinessProbe[];
  readonly clock: Clock;
  /** NAV_METRICS_MIN_INTERVAL */
  readonly metricsMinIntervalMs: number;
  /** MESH_LANG */
  readonly expressionLanguage: ExpressionLanguage;
  injectionTemplate(): string | undefined;
  problems(): readonly ConfigProblem[];
  lastProblems(): readonly ConfigProblem[];
  readonly instances: Instances;
  readonly policyServers: Instances;
  readonly policy: Pick<PolicyRuntime, 'quotas' | 'limits' | 'handlerSeries'>;
}

/** The limits of the policy server that proxies ask; undefined if they are not known here. */
function limitsOf({ mesh }: PushContext, policy: ViewParts['policy']): readonly QuotaLimit[] | undefined {
  return checkServerOf(mesh)?.type === 'embedded' ? policy.limits() : undefined;
}

/** Gives the HTTP pages the state of the running parts. */
export function createViews(parts: ViewParts): Views {
  const { build, distributor, connections, ledger, kinds, metrics, registry } = parts;
  const status: PushStatusSources = {
    context: () => distributor.context,
    connections: () => connections.list(),
    generated: () => distributor.resources.findings(),
  };
  const rejectedConfigs = createRejectedConfigs(metrics);
  const resourcesOf: Views['resourcesOf'] = (connectionId, typeUrl) => {
    const session = connections.find(connectionId);
    if (session?.proxy === undefined || distributor.context === undefined) return [];
    const generator = distributor.generatorOf(typeUrl, session.proxy);
    if (generator === undefined) return [];
    // As on the proxy, a table is shown with its virtual hosts, however these are sent.
    const isSplit = typeUrl === TypeUrl.route && session.proxy.takesVirtualHosts === true;
    const proxy = isSplit ? { ...session.proxy, takesVirtualHosts: false } : session.proxy;
    return distributor.resources.resourcesFor(generator, proxy, session.namesOf(typeUrl)).resources;
  };
  return {
    build,
    messageJson: parts.messageJson,
    probes: [
      {
        name: 'sources',
        check: () =>
          distributor.context === undefined
            ? { ready: false, reason: 'the first complete state has not been read yet' }
            : { ready: true },
      },
      ...parts.probes,
    ],
    trackingEnabled: ledger !== undefined,
    adszConfigEnabled: parts.adszConfigEnabled,
    knownKinds: kinds.definitions.flatMap(({ group, versions, kind }) =>
      versions.map((version) => ({ group, version, kind })),
    ),
    metrics: createMetricsText(registry, parts.clock, metrics, {
      minIntervalMs: parts.metricsMinIntervalMs,
      collect: () => {
        recordPushStatus(metrics, status);
        rejectedConfigs.observe(status.generated());
      },
      more: parts.policy.handlerSeries,
    }),
    connections: () => connections.list(),
    context: () => distributor.context,
    resourcesOf,
    policyConfigsOf: (connectionId) => {
      if (!distributor.generators.has(POLICY_TYPE_URLS.serviceConfig)) return undefined;
      return {
        http: resourcesOf(connectionId, POLICY_TYPE_URLS.httpClientConfig),
        tcp: resourcesOf(connectionId, POLICY_TYPE_URLS.tcpClientConfig),
        services: resourcesOf(connectionId, POLICY_TYPE_URLS.serviceConfig),
      };
    },
    currentConfigVersion: () => distributor.configVersion,
    versionOf: (root, key) => ledger?.versionAt(root, key),
    triggerPush: () => distributor.pushAll('debug'),
    pushStatus: () => (distributor.context === undefined ? undefined : pushStatus(status)),
    activity: parts.activity,
    resourceStateOf: (connectionId, typeUrl) => {
      const state = connections.find(connectionId)?.resourcesOf(typeUrl);
      return state && { accepted: state.accepted?.resources, offered: state.offered?.resources };
    },
    rejections: parts.rejections,
    changedSince: (configVersion) => ledger?.changedSince(configVersion),
    explainRequest: ({ method, url, headers, from, ip }) => {
      if (distributor.context === undefined)
        throw new HttpProblem(503, 'The server has not read the whole configuration yet.');
      try {
        return explainRequest(
          distributor.context,
          readAskedRequest(method, url, headers, from, ip),
          limitsIn(limitsOf(distributor.context, parts.policy)),
          parts.expressionLanguage,
        );
      } catch (error) {
        // Both errors have a text for users.
        if (error instanceof Error && 'code' in error) throw new HttpProblem(400, error.message);
        throw error;
      }
    },
    injectionTemplate: parts.injectionTemplate,
    problems: parts.problems,
    lastProblems: parts.lastProblems,
    instances: parts.instances,
    policyServers: parts.policyServers,
    quotas: parts.policy.quotas,
  };
}
