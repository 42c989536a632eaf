import type { NetworkFailPolicy } from '../../config/policy/transport-config.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { encodeExtensionConfig } from '../../envoy/extension-config.js';
import { buildHeaderMutation } from '../../envoy/header-filters.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { inboundClusterName } from '../../envoy/names.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import { createMemo, memoize } from '../../model/memo.js';
import { forwardAttributesOf } from '../../model/policy/filter-attributes.js';
import {
  failPolicyText,
  OUTBOUND_FAIL_POLICIES,
  ownFailPolicyOf,
  withFailPolicy,
} from '../../model/policy/own-fail-policy.js';
import type { Direction } from '../../model/policy/proxy-policy.js';
import { NO_RULE_HEADERS, type RuleHeaders } from '../../model/policy/rules/rule-headers.js';
import type { ServiceTarget } from '../../model/proxy.js';
import type { PushContext, ServiceView } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { FORWARDED_ATTRIBUTES_HEADER, RECEIPT_HEADER } from '../../policy/wire/call-metadata.js';
import type { ConfigEncoder } from '../../policy/wire/config-encoder.js';
import type { NamedGenerator, Scope } from '../generator.js';
import { createViewIndexer } from '../view-index.js';
import { extensionConfigsAffectedBy } from './affected-by.js';
import { type CheckedService, createCheckFilters } from './check-filters.js';
import { createFastFilterConfigs } from './fast/fast-filter-configs.js';
import type { FastServices } from './fast/fast-services.js';
import { parsePolicyFilterName } from './filter-names.js';
import type { PolicyLookups } from './policy-lookups.js';
import { createLabelledFacts, type PolicyFacts } from './proxy-facts.js';

/** The facts that a proxy's filters depend on. */
export interface ExtensionConfigScope extends Scope {
  /** Undefined when the proxy has no such filters. */
  readonly facts: PolicyFacts | undefined;
  readonly chains: OwnChains;
  /** The own services with fast QuotaSpecs. */
  readonly fast: FastServices;
  /** The services that the proxy sees. */
  readonly view: ServiceView;
  /** The headers that rules change. */
  readonly headers: ProxyHeaders;
}

/** The headers that rules change of requests to services. */
interface ProxyHeaders {
  /** To the services that the proxy sees. */
  readonly outbound: RuleHeaders;
  readonly of: (service: Service) => RuleHeaders;
  /** Contains those of the own services, and of the outbound ones. */
  readonly key: string;
}

/** The workload's own services, by the inbound cluster of their chain. */
interface OwnChains {
  readonly byCluster: ReadonlyMap<string, ServiceTarget>;
  /** Contains the members that are read. */
  readonly key: string;
}

const NO_CHAINS: OwnChains = { byCluster: new Map(), key: '' };
const NO_SERVICES: ServiceView = { id: '', services: [] };
const NO_HEADERS: ProxyHeaders = { outbound: NO_RULE_HEADERS, of: () => NO_RULE_HEADERS, key: '' };
const NOT_SERVED: ExtensionConfigScope = {
  key: '',
  facts: undefined,
  chains: NO_CHAINS,
  fast: { find: () => undefined },
  view: NO_SERVICES,
  headers: NO_HEADERS,
};

/**
 * Configurations (ECDS) of the filters that differ between proxies, or that a binding enables and disables.
 */
export function createExtensionConfigGenerator(
  encoder: MessageEncoder,
  texts: ConfigEncoder,
  { factsOf, failPoliciesOf, isChecked, isRuled, fastServicesOf, ruleHeadersOf }: PolicyLookups,
): NamedGenerator<ExtensionConfigScope> {
  const checks = createCheckFilters(encoder, texts);
  const fastFilter = createFastFilterConfigs(encoder);
  const labelledFactsOf = createLabelledFacts(factsOf);
  const chainsOf = memoize(ownChains);
  const indexOf = createViewIndexer();
  const outboundHeaders = createMemo<RuleHeaders>();
  const ofProxies = createMemo<EncodedResource>();
  /** The same for all proxies. */
  const disabled = createMemo<EncodedResource>();

  const check = (
    context: PushContext,
    facts: PolicyFacts,
    name: string,
    { protocol, direction, only, failPolicy, headers = NO_RULE_HEADERS, isFastEnough = false }: WantedCheck,
  ): EncodedResource | undefined => {
    const { policy } = facts;
    const { mesh } = context;
    if (mesh.policy.mixerCheckServer === '') return undefined;
    const isWanted = direction === 'inbound' ? policy.inboundChecks : policy.outboundChecks;
    if (!isWanted || isFastEnough || (only !== undefined && !isChecked(context, only.service))) {
      const { checkCluster } = policy.transport;
      return disabled.of([mesh, only?.service ?? mesh], name, () =>
        encodeExtensionConfig(encoder, name, checks.disabledFilter(protocol, checkCluster)),
      );
    }
    const own = only === undefined ? failPolicy : ownFailPolicyOf(only.service, mesh.policy);
    const checking = { ...facts, policy: withFailPolicy(policy, own) };
    return ofProxies.of(
      [mesh, facts],
      `${name}\n${keyOf(only)}\n${own === undefined ? '' : failPolicyText(own)}\n${headers.key}`,
      () => {
        const config =
          protocol === 'http'
            ? checks.http(checking, mesh.policy.policyCheckProtocol, direction, only, headers)
            : checks.tcp(checking, direction, only as CheckedService);
        return encodeExtensionConfig(encoder, name, config);
      },
    );
  };

  const headersOf = (
    context: PushContext,
    { policy }: PolicyFacts,
    chains: OwnChains,
    view: ServiceView,
  ): ProxyHeaders => {
    const table = ruleHeadersOf(context);
    if (table.isEmpty) return NO_HEADERS;
    const of = ({ namespace }: Service): RuleHeaders => table.of([namespace]);
    const outbound = policy.outboundChecks
      ? outboundHeaders.of([table, view], '', () => table.of(view.services.map(({ namespace }) => namespace)))
      : NO_RULE_HEADERS;
    const inbound = policy.inboundChecks ? [...chains.byCluster.values()].map(({ service }) => of(service).key) : [];
    return { outbound, of, key: [outbound.key, ...inbound].join('\n') };
  };

  return {
    mode: 'named',
    typeUrl: TypeUrl.extensionConfig,
    affectedBy: extensionConfigsAffectedBy,
    scope: (context, proxy) => {
      const facts = labelledFactsOf(context, proxy);
      if (facts === undefined) return NOT_SERVED;
      const chains = chainsOf(context.inboundOf(proxy));
      const view = context.trafficOf(proxy).inAnyCluster.services;
      const fast = fastServicesOf(context);
      const headers = headersOf(context, facts, chains, view);
      const key = `${facts.key}\n${chains.key}\n${view.id}\n${failPoliciesOf(context).key}\n${fastKeyOf(chains, fast)}\n${headers.key}`;
      return { key, facts, chains, fast, view, headers };
    },
    generate: (context, { facts, chains, fast, view, headers }, name) => {
      const parsed = facts === undefined ? undefined : parsePolicyFilterName(name);
      if (facts === undefined || parsed === undefined) return undefined;
      switch (parsed.type) {
        case 'forward':
          return ofProxies.of([context.mesh, facts], name, () => {
            const value = texts.attributesSpecText(forwardAttributesOf(facts.identity));
            return encodeExtensionConfig(
              encoder,
              name,
              buildHeaderMutation(encoder, {
                set: { header: FORWARDED_ATTRIBUTES_HEADER, value },
                remove: RECEIPT_HEADER,
              }),
            );
          });
        case 'outboundHttpCheck':
          return check(context, facts, name, {
            ...{ protocol: 'http', direction: 'outbound', only: undefined, headers: headers.outbound },
          });
        case 'outboundHttpCheckInSlot': {
          const failPolicies = failPoliciesOf(context);
          if (!failPolicies.hasAny || parsed.slot > OUTBOUND_FAIL_POLICIES) return undefined;
          const failPolicy = failPolicies.inSlot(parsed.slot);
          return check(context, facts, name, {
            ...{ protocol: 'http', direction: 'outbound', only: undefined, failPolicy, headers: headers.outbound },
          });
        }
        case 'inboundHttpCheck':
        case 'inboundTcpCheck': {
          const only = chains.byCluster.get(parsed.cluster);
          if (only === undefined) return undefined;
          if (parsed.type === 'inboundTcpCheck') {
            return check(context, facts, name, { protocol: 'tcp', direction: 'inbound', only });
          }
          const own = fast.find(only.service);
          const isFastEnough = own?.isEnough === true && !isRuled(context, only.service);
          const checked = { ...only, countsFastQuotas: own !== undefined && own.specs.rules.length > 0 };
          return check(context, facts, name, {
            ...{
              protocol: 'http',
              direction: 'inbound',
              only: checked,
              isFastEnough,
              headers: headers.of(only.service),
            },
          });
        }
        case 'fastQuotas':
        case 'fastGuard': {
          const only = chains.byCluster.get(parsed.cluster);
          if (only === undefined || context.mesh.policy.mixerCheckServer === '') return undefined;
          return fastFilter(context.mesh, facts, name, parsed.type, only.service, fast.find(only.service));
        }
        case 'outboundTcpCheck': {
          const { hostname, port } = parsed.cluster;
          const service = indexOf(view).byHost.get(hostname);
          if (service?.ports.some(({ number }) => number === port) !== true) {
            // A route can lead to a service that does not exist. Envoy waits for the filter before it opens the port, and a
            // starting Envoy opens no port before. Proxies can invent any name: the result is not kept.
            if (context.mesh.policy.mixerCheckServer === '') return undefined;
            const { checkCluster } = facts.policy.transport;
            return encodeExtensionConfig(encoder, name, checks.disabledFilter('tcp', checkCluster));
          }
          const only = { service, targetPort: undefined };
          return check(context, facts, name, { protocol: 'tcp', direction: 'outbound', only });
        }
      }
    },
  };
}

/** A TCP chain always has one service. A fail policy is given where routes name the service. */
type WantedCheck = {
  readonly direction: Direction;
  readonly failPolicy?: NetworkFailPolicy | undefined;
  /** Those that rules change. */
  readonly headers?: RuleHeaders;
  /** Whether the proxy enforces all quotas itself. */
  readonly isFastEnough?: boolean;
} & (
  | { readonly protocol: 'http'; readonly only: CheckedService | undefined }
  | { readonly protocol: 'tcp'; readonly only: CheckedService }
);

/** The members of a service and its port that the filter contains. */
function keyOf(only: CheckedService | undefined): string {
  if (only === undefined) return '';
  const { hostname, name, namespace } = only.service;
  const { targetPort = '', countsFastQuotas = false } = only;
  return `${hostname}|${namespace}|${name}|${targetPort}|${countsFastQuotas}`;
}

function fastKeyOf({ byCluster }: OwnChains, { find }: FastServices): string {
  const keys = [...byCluster].flatMap(([cluster, { service }]) => {
    const fast = find(service);
    return fast === undefined ? [] : [`${cluster} ${fast.key}`];
  });
  return keys.join();
}

/** Replicas of a workload have equal targets and share the result. */
function ownChains(targets: readonly ServiceTarget[]): OwnChains {
  const byCluster = new Map<string, ServiceTarget>();
  const facts: unknown[] = [];
  for (const target of targets) {
    const { service, port, targetPort } = target;
    const cluster = inboundClusterName(port.number, port.name, service.hostname);
    if (byCluster.has(cluster)) continue;
    byCluster.set(cluster, target);
    facts.push([cluster, targetPort, service.namespace, service.name, service.failPolicy]);
  }
  return { byCluster, key: JSON.stringify(facts) };
}
