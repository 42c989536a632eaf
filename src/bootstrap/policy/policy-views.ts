import type { Registry } from 'prom-client';
import type { Clock } from '../../base/clock.js';
import type { MessageJson } from '../../envoy/message-json.js';
import type { Page } from '../../introspection/page.js';
import { configProblems } from '../../introspection/pages/config-problems.js';
import { metricsPage, readyPage, versionPage } from '../../introspection/pages/public-pages.js';
import type { QuotaCounters } from '../../introspection/quota-counters.js';
import type { ReadinessProbe } from '../../introspection/ready.js';
import type { ConfigProblem, Views } from '../../introspection/views.js';
import { createOverview } from '../../introspection/web/overview-page.js';
import { quotasPage } from '../../introspection/web/quotas-page.js';
import type { Site } from '../../introspection/web/site.js';
import type { BuildInfo } from '../../telemetry/build-info.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { createMetricsText } from '../../telemetry/metrics-text.js';

export const POLICY_SITE: Site = {
  title: 'Navigator policy',
  links: [
    { path: '/debug', label: 'Overview' },
    { path: '/debug/quotas', label: 'Quotas' },
  ],
};

/** The pages of a policy server in a process of its own. */
export function createPolicyPages(site: Site = POLICY_SITE): readonly Page[] {
  const listed = [configProblems, metricsPage, quotasPage(site), readyPage, versionPage];
  return [createOverview(site, listed), ...listed];
}

export interface PolicyViewParts {
  readonly build: BuildInfo;
  readonly messageJson: MessageJson;
  readonly probes: readonly ReadinessProbe[];
  readonly registry: Registry;
  readonly metrics: Pick<Metrics, 'increment'>;
  readonly clock: Clock;
  /** NAV_METRICS_MIN_INTERVAL */
  readonly metricsMinIntervalMs: number;
  problems(): readonly ConfigProblem[];
  quotas(): QuotaCounters | undefined;
  /** See PolicyRuntime. */
  readonly handlerSeries: () => Iterable<string>;
}

/** The state for those pages; this process has no proxies, snapshots or pushes. */
export function createPolicyViews({
  build,
  messageJson,
  probes,
  registry,
  metrics,
  clock,
  metricsMinIntervalMs,
  problems,
  quotas,
  handlerSeries,
}: PolicyViewParts): Views {
  return {
    build,
    messageJson,
    probes,
    problems,
    quotas,
    trackingEnabled: false,
    adszConfigEnabled: false,
    knownKinds: [],
    metrics: createMetricsText(registry, clock, metrics, { minIntervalMs: metricsMinIntervalMs, more: handlerSeries }),
    connections: () => [],
    context: () => undefined,
    resourcesOf: () => [],
    policyConfigsOf: () => undefined,
    currentConfigVersion: () => '',
    versionOf: () => undefined,
    triggerPush: () => 0,
    pushStatus: () => undefined,
  };
}
