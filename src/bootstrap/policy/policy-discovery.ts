import type { Clock } from '../../base/clock.js';
import type { ProtoRegistry } from '../../envoy/proto-registry.js';
import type { ReadinessProbe } from '../../introspection/ready.js';
import { MAX_SHAPES_LENGTH, shapesText } from '../../model/policy/fast/shapes-text.js';
import { createCompletePolicies } from '../../policy/server/discovery/complete-policies.js';
import { createPlanReader } from '../../policy/server/discovery/plan-reader.js';
import { createPlanSubscription } from '../../policy/server/discovery/plan-subscription.js';
import { createRuleObjectReader } from '../../policy/server/discovery/rule-object-reader.js';
import { createRuleSubscription } from '../../policy/server/discovery/rule-subscription.js';
import { createServiceConfigReader } from '../../policy/server/discovery/service-config-reader.js';
import {
  createServiceSubscription,
  createSubscriptionMetrics,
} from '../../policy/server/discovery/service-subscription.js';
import { createPacedWork } from '../../policy/server/paced-work.js';
import { createConfigDecoder } from '../../policy/wire/config-decoder.js';
import { createRuleObjectDecoder } from '../../policy/wire/rule-object-message.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { OpenAdsStream } from '../../xds-client/ads-stream.js';
import type { PolicyRegexEnvironment } from '../environment.js';
import type { PolicyRuntime } from './policy-runtime.js';
import { yieldTurn } from './yield-turn.js';

export interface PolicyDiscoveryParts {
  readonly openStream: OpenAdsStream;
  readonly node: (metadata?: Readonly<Record<string, string>>) => Buffer;
  /** --discoveryAddress */
  readonly address: string;
  readonly regexes: PolicyRegexEnvironment;
  readonly protos: ProtoRegistry;
  readonly metrics: Metrics;
  /** Of scope `adsc`. */
  readonly logger: Logger;
  readonly clock: Clock;
  readonly runtime: Pick<PolicyRuntime, 'observe' | 'useRules' | 'countsInMemory' | 'quotaShapes'>;
}

/** The policies of services, the plans and the rules, as a policy server in a process of its own gets them. */
export interface PolicyDiscovery {
  readonly probes: readonly ReadinessProbe[];
  /** The configuration of quotas has changed: the control plane is told of limits of other forms. */
  limitsChanged(): void;
  start(): void;
  stop(): void;
}

export function createPolicyDiscovery(parts: PolicyDiscoveryParts): PolicyDiscovery {
  const { openStream, node, address, regexes, protos, metrics, logger, clock, runtime } = parts;
  const shared = { openStream, clock, random: Math.random, logger };
  let toldLimits = JSON.stringify(limitsOf(runtime));
  const decoder = createConfigDecoder(protos);
  const services = createServiceSubscription({
    ...shared,
    // The control plane reports replicas that count quotas separately, and configures proxies by the forms of limits.
    node: () => node(limitsOf(runtime)),
    readServiceConfig: createServiceConfigReader(decoder, regexes.navRegexExpressionBytes),
    metrics: createSubscriptionMetrics(metrics),
    onChange: () => policies.changed(),
  });
  const plans = createPlanSubscription({
    ...shared,
    node,
    readPlan: createPlanReader(decoder, regexes.navRegexExpressionBytes),
    work: createPacedWork({ clock, yieldTurn }),
    onChange: () => policies.changed(),
  });
  const rules = createRuleSubscription({
    ...shared,
    node,
    readRuleObject: createRuleObjectReader(createRuleObjectDecoder(protos), regexes.navRegexExpressionBytes),
    metrics,
    use: runtime.useRules,
    onChange: () => policies.changed(),
  });
  const policies = createCompletePolicies(
    {
      // No request may pass without the rules of its service.
      services: () => (rules.hasRules ? services.current() : undefined),
      ...plans,
    },
    clock,
    runtime.observe,
  );
  const probe = (name: string, hasCome: () => boolean, what: string): ReadinessProbe => ({
    name,
    check: () => (hasCome() ? { ready: true } : { ready: false, reason: `no ${what} from ${address} yet` }),
  });
  return {
    probes: [
      probe('discovery', () => services.version !== undefined, 'configuration has come'),
      probe('rules', () => rules.hasRules, 'rules have come'),
    ],
    limitsChanged: () => {
      const limits = JSON.stringify(limitsOf(runtime));
      if (limits === toldLimits) return;
      toldLimits = limits;
      services.renew();
    },
    start: () => {
      services.start();
      plans.start();
      rules.start();
    },
    stop: () => {
      services.stop();
      plans.stop();
      rules.stop();
      policies.stop();
    },
  };
}

/** What the node tells about the limits. */
function limitsOf(runtime: Pick<PolicyRuntime, 'countsInMemory' | 'quotaShapes'>): Readonly<Record<string, string>> {
  const text = shapesText(runtime.quotaShapes());
  return {
    QUOTA_COUNTERS: runtime.countsInMemory() ? 'memory' : 'shared',
    ...(text.length <= MAX_SHAPES_LENGTH && { QUOTA_LIMITS: text }),
  };
}
