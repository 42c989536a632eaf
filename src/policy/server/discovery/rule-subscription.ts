import { errorText } from '../../../base/error-text.js';
import type { MeshObject, ObjectKey } from '../../../config/object.js';
import { memoize } from '../../../model/memo.js';
import type { BindingGrants } from '../../../model/policy/binding-grants.js';
import { createResolvedRules, type ResolvedRules } from '../../../model/policy/rules/resolved-rules.js';
import type { RuleSource } from '../../../model/policy/rules/rule-source.js';
import { kindOfKey } from '../../../model/push-request.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { Metrics } from '../../../telemetry/metrics.js';
import {
  createSubscription,
  type Subscription,
  type SubscriptionEnvironment,
} from '../../../xds-client/subscription.js';
import { NO_RULES, type RulesInForce } from '../../rules/rule-objects.js';
import { POLICY_TYPE_URLS } from '../../wire/call-metadata.js';
import { RULE_SETTINGS, type RuleSettings } from '../../wire/rule-object-message.js';
import { type ResourceSet, readResourceSet } from './resource-set.js';
import type { ReadRuleObject, RuleObjectReader } from './rule-object-reader.js';
import { withoutWithheld } from './without-withheld.js';

export interface RuleSubscriptionDependencies extends SubscriptionEnvironment {
  readonly readRuleObject: RuleObjectReader;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'increment' | 'set'>;
  /** Puts rules into force. Called before the acknowledgement; an error rejects the response. */
  readonly use: (rules: RulesInForce) => void;
  /** Called when rules are in force. */
  readonly onChange: () => void;
}

/** The rules of the mesh from a discovery server. The last ones stay in force without a connection. */
export interface RuleSubscription extends Subscription {
  /** Whether rules have come, so that no request passes without the rules of its service. */
  readonly hasRules: boolean;
}

/**
 * Subscribes to the objects of the policy runtime, and resolves them as the control plane does. An invalid response is
 * rejected as a whole, with its problem.
 */
export function createRuleSubscription(dependencies: RuleSubscriptionDependencies): RuleSubscription {
  const { readRuleObject, logger, metrics, use, onChange } = dependencies;
  const typeUrl = POLICY_TYPE_URLS.ruleObject;
  let resources: ResourceSet<ReadRuleObject> = new Map();
  let version: string | undefined;
  let resolver: { readonly language: string; readonly resolve: (source: RuleSource) => ResolvedRules } | undefined;

  const resolved = (set: ResourceSet<ReadRuleObject>): RulesInForce => {
    // The mesh config names no policy server.
    if (set.size === 0) return NO_RULES;
    const { source, language, withheld } = sourceOf(set);
    if (resolver?.language !== language) resolver = { language, resolve: createResolvedRules(language) };
    return withoutWithheld(resolver.resolve(source), withheld);
  };

  const subscription = createSubscription(dependencies, {
    typeUrl,
    version: () => version ?? '',
    take: (response) => {
      const next = readResourceSet(response.resources, typeUrl, resources, readRuleObject);
      const rules = resolved(next);
      use(rules);
      resources = next;
      const isNew = response.version !== version;
      version = response.version;
      metrics.increment('policy_discovery_rule_updates_total', { result: 'accepted' });
      const objects = Math.max(0, next.size - 1);
      metrics.set('policy_discovery_rule_objects', objects);
      if (isNew) logger.info({ version, objects, rules: rules.rules.length }, 'rules activated');
      onChange();
    },
    refused: (error) => {
      const reason = errorText(error);
      metrics.increment('policy_discovery_rule_updates_total', { result: 'rejected' });
      logger.error({ reason, version }, 'rules rejected, the former ones stay in force');
      return reason;
    },
    // The subscription to service policies tells of the discovery server.
    connected: () => undefined,
    disconnected: () => undefined,
  });
  return {
    ...subscription,
    get hasRules() {
      return version !== undefined;
    },
  };
}

interface ReadSource {
  readonly source: RuleSource;
  readonly language: RulesInForce['language'];
  /** Objects without their credentials. */
  readonly withheld: ReadonlySet<ObjectKey>;
}

/** @throws Error without settings */
function sourceOf(set: ResourceSet<ReadRuleObject>): ReadSource {
  const settings = set.get(RULE_SETTINGS)?.value;
  if (settings?.type !== 'settings') throw new Error(`the resource ${RULE_SETTINGS} is missing`);
  const objects = new Map<string, Map<ObjectKey, MeshObject>>();
  const withheld = new Set<ObjectKey>();
  for (const [key, { value }] of set) {
    if (value.type !== 'object') continue;
    const kind = kindOfKey(key);
    const table = objects.get(kind) ?? new Map<ObjectKey, MeshObject>();
    objects.set(kind, table.set(key, value.object));
    if (value.isWithheld) withheld.add(key);
  }
  const { language, trustDomains } = settings.settings;
  const [trustDomain = '', ...trustDomainAliases] = trustDomains;
  const source = { objects, bindingGrants: grantsOf(settings.settings), mesh: { trustDomain, trustDomainAliases } };
  return { source, language, withheld };
}

/** Keeps its identity while the settings stay, so that a change of one object resolves no other again. */
const grantsOf = memoize(
  ({ rootNamespace, isOpen, grants }: RuleSettings): BindingGrants =>
    // Only messages of analysis name the annotation.
    ({ annotation: '', rootNamespace, isOpen, byNamespace: grants }),
);
