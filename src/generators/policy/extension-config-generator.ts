import type { NetworkFailPolicy } from '../../config/policy/transport-config.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { encodeExtensionConfig } from '../../envoy/extension-config.js';
import { buildHeaderMutation } from '../../envoy/header-mutation.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import { createMemo } from '../../model/memo.js';
import { forwardAttributesOf } from '../../model/policy/filter-attributes.js';
import {
  failPolicyText,
  OUTBOUND_FAIL_POLICIES,
  ownFailPolicyOf,
  withFailPolicy,
} from '../../model/policy/own-fail-policy.js';
import type { Direction, ProxyPolicy } from '../../model/policy/proxy-policy.js';
import type { PushContext } from '../../model/push-context.js';
import { FORWARDED_ATTRIBUTES_HEADER } from '../../policy/wire/call-metadata.js';
import type { ConfigEncoder } from '../../policy/wire/config-encoder.js';
import type { NamedGenerator, Scope } from '../generator.js';
import { createViewIndexer } from '../view-index.js';
import { type CheckedService, createCheckFilters } from './check-filters.js';
import { extensionConfigsAffectedBy } from './extension-config-affected-by.js';
import { parsePolicyFilterName } from './filter-names.js';
import { createLabelledFacts } from './labelled-facts.js';
import { createOutboundFailPolicies } from './outbound-fail-policies.js';
import { createOwnChains, type OwnChains } from './own-chains.js';
import { createPolicyReach } from './policy-reach.js';
import { createPolicyServerLookup } from './policy-server-hosts.js';
import type { PolicyFacts, PolicyFactsOf } from './proxy-facts.js';

/** What the filters depend on that a proxy asks for by name. */
export interface ExtensionConfigScope extends Scope {
  /** Undefined when the proxy has no such filters. */
  readonly facts: PolicyFacts | undefined;
  readonly chains: OwnChains;
  /** Whose view of the services it is; the key has the view's id. */
  readonly namespace: string;
}

const NO_CHAINS: OwnChains = { byCluster: new Map(), key: '' };
const NOT_SERVED: ExtensionConfigScope = { key: '', facts: undefined, chains: NO_CHAINS, namespace: '' };

/**
 * Configurations of the filters that differ from proxy to proxy, or that a binding turns on and off (ECDS). Only
 * sidecars have any: routers have no listeners yet.
 */
export function createExtensionConfigGenerator(
  encoder: MessageEncoder,
  texts: ConfigEncoder,
  factsOf: PolicyFactsOf,
): NamedGenerator<ExtensionConfigScope> {
  const checks = createCheckFilters(encoder, texts);
  const labelledFactsOf = createLabelledFacts(factsOf);
  const chainsOf = createOwnChains();
  const reachOf = createPolicyReach();
  const isPolicyServer = createPolicyServerLookup();
  const indexOf = createViewIndexer();
  const failPoliciesOf = createOutboundFailPolicies();
  const ofProxies = createMemo<EncodedResource>();
  /** The same for all proxies. */
  const idle = createMemo<EncodedResource>();

  /** A server that is down must not hurt services without a policy. */
  const isReached = (context: PushContext, policy: ProxyPolicy, only: CheckedService | undefined): boolean => {
    if (only === undefined) return true;
    const { service } = only;
    return !isPolicyServer(context, service.hostname) && (!policy.isEmbedded || reachOf(context)(service));
  };

  const check = (
    context: PushContext,
    facts: PolicyFacts,
    name: string,
    { protocol, direction, only, failPolicy }: Check,
  ): EncodedResource | undefined => {
    const { policy } = facts;
    const { mesh } = context;
    if (mesh.policy.mixerCheckServer === '') return undefined;
    const isWanted = direction === 'inbound' ? policy.inboundChecks : policy.outboundChecks;
    if (!isWanted || !isReached(context, policy, only)) {
      const { checkCluster } = policy.transport;
      return idle.of([mesh, only?.service ?? mesh], name, () => {
        const config = protocol === 'http' ? checks.idleHttp(checkCluster) : checks.idleTcp(checkCluster);
        return encodeExtensionConfig(encoder, name, config);
      });
    }
    const own = only === undefined ? failPolicy : ownFailPolicyOf(only.service, mesh.policy);
    const checking = { ...facts, policy: withFailPolicy(policy, own) };
    return ofProxies.of(
      [mesh, facts],
      `${name}\n${keyOf(only)}\n${own === undefined ? '' : failPolicyText(own)}`,
      () => {
        const config =
          protocol === 'http'
            ? checks.http(checking, direction, only)
            : checks.tcp(checking, direction, only as CheckedService);
        return encodeExtensionConfig(encoder, name, config);
      },
    );
  };

  return {
    mode: 'named',
    typeUrl: TypeUrl.extensionConfig,
    affectedBy: extensionConfigsAffectedBy,
    scope: (context, proxy) => {
      const facts = proxy.type === 'sidecar' ? labelledFactsOf(context, proxy) : undefined;
      if (facts === undefined) return NOT_SERVED;
      const chains = chainsOf(context.targetsOf(proxy));
      const namespace = proxy.configNamespace;
      const key = `${facts.key}\n${chains.key}\n${context.viewOf(namespace).id}\n${failPoliciesOf(context).key}`;
      return { key, facts, chains, namespace };
    },
    generate: (context, { facts, chains, namespace }, name) => {
      const parsed = facts === undefined ? undefined : parsePolicyFilterName(name);
      if (facts === undefined || parsed === undefined) return undefined;
      switch (parsed.type) {
        case 'forward':
          return ofProxies.of([context.mesh, facts], name, () => {
            const value = texts.attributesSpecText(forwardAttributesOf(facts.identity));
            return encodeExtensionConfig(
              encoder,
              name,
              buildHeaderMutation(encoder, FORWARDED_ATTRIBUTES_HEADER, value),
            );
          });
        case 'outboundHttpCheck':
          return check(context, facts, name, { protocol: 'http', direction: 'outbound', only: undefined });
        case 'outboundHttpCheckInSlot': {
          const failPolicies = failPoliciesOf(context);
          if (!failPolicies.hasAny || parsed.slot > OUTBOUND_FAIL_POLICIES) return undefined;
          const failPolicy = failPolicies.inSlot(parsed.slot);
          return check(context, facts, name, { protocol: 'http', direction: 'outbound', only: undefined, failPolicy });
        }
        case 'inboundHttpCheck':
        case 'inboundTcpCheck': {
          const only = chains.byCluster.get(parsed.cluster);
          const protocol = parsed.type === 'inboundHttpCheck' ? 'http' : 'tcp';
          return only && check(context, facts, name, { protocol, direction: 'inbound', only });
        }
        case 'outboundTcpCheck': {
          const { hostname, port } = parsed.cluster;
          const service = indexOf(context.viewOf(namespace)).byHost.get(hostname);
          if (service?.ports.some(({ number }) => number === port) !== true) return undefined;
          const only = { service, targetPort: undefined };
          return check(context, facts, name, { protocol: 'tcp', direction: 'outbound', only });
        }
      }
    },
  };
}

/** A TCP chain is for one service always; a fail policy is given where routes say which service a request is for. */
type Check = { readonly direction: Direction; readonly failPolicy?: NetworkFailPolicy | undefined } & (
  | { readonly protocol: 'http'; readonly only: CheckedService | undefined }
  | { readonly protocol: 'tcp'; readonly only: CheckedService }
);

/** All that is read of a service and its port. */
function keyOf(only: CheckedService | undefined): string {
  if (only === undefined) return '';
  const { hostname, name, namespace } = only.service;
  return `${hostname}|${namespace}|${name}|${only.targetPort ?? ''}`;
}
