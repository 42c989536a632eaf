import type { EncodedResource } from '../../../envoy/encoded-resource.js';
import { frameNamedResource } from '../../../envoy/message-encoder.js';
import { createMemo } from '../../../model/memo.js';
import { tcpClientConfigOf } from '../../../model/policy/client-configs.js';
import { withFailPolicy } from '../../../model/policy/own-fail-policy.js';
import type { PolicyContext, ServicePolicies } from '../../../model/policy/service-policies.js';
import type { ConfigEncoder } from '../../../policy/wire/config-encoder.js';
import { POLICY_TYPE_URLS } from '../../../policy/wire/policy-type-urls.js';
import type { ResourcePart, Scope, WildcardGenerator } from '../../generator.js';
import type { GeneratorSettings } from '../../settings.js';
import { createLabelledFacts } from '../labelled-facts.js';
import type { PolicyFacts, PolicyFactsOf } from '../proxy-facts.js';
import { serviceConfigsAffectedBy } from './configs-affected-by.js';
import { inboundTcpChains, outboundTcpChains, type TcpChain } from './tcp-chains.js';

interface TcpScope extends Scope {
  readonly facts: PolicyFacts;
  chains(): readonly TcpChain[];
}

/**
 * A proxy's TCP clients (SPEC 2.14), by the cluster that their connections go to. Each names its proxy, so that no two
 * proxies share any; one is encoded again only when its service or the specs that are bound to it have changed.
 */
export function createTcpClientConfigGenerator(
  configs: ConfigEncoder,
  factsOf: PolicyFactsOf,
  policiesOf: (context: PolicyContext) => ServicePolicies,
  { sniffInbound, sniffOutbound }: Pick<GeneratorSettings, 'sniffInbound' | 'sniffOutbound'>,
): WildcardGenerator {
  const labelledFactsOf = createLabelledFacts(factsOf);
  const memo = createMemo<EncodedResource>();

  const resourceOf = (policies: ServicePolicies, facts: PolicyFacts, chain: TcpChain): EncodedResource => {
    const { cluster, direction, service, targetPort } = chain;
    const serviceConfig = policies.configOf(service);
    return memo.of([service, serviceConfig, facts], `${cluster} ${targetPort}`, () => {
      const policy = withFailPolicy(facts.policy, serviceConfig.networkFailPolicy);
      const config = tcpClientConfigOf(policy, facts.identity, direction, service, policies.bindings, targetPort);
      return frameNamedResource(POLICY_TYPE_URLS.tcpClientConfig, cluster, configs.tcpClientConfig(config));
    });
  };

  const generate: ResourcePart<TcpScope>['generate'] = (context, { facts, chains }) => {
    const policies = policiesOf(context);
    return { resources: chains().map((chain) => resourceOf(policies, facts, chain)), findings: [] };
  };

  const inbound: ResourcePart<TcpScope> = {
    name: 'inbound',
    scope: (context, proxy) => {
      const facts = labelledFactsOf(context, proxy);
      const targets = proxy.type === 'sidecar' ? context.targetsOf(proxy) : [];
      if (facts === undefined || targets.length === 0) return undefined;
      const ports = targets.map(({ service, port, targetPort }) => [
        service.hostname,
        service.namespace,
        port.number,
        port.name,
        port.protocol,
        targetPort,
      ]);
      return { key: JSON.stringify([facts.key, ports]), facts, chains: () => inboundTcpChains(targets, sniffInbound) };
    },
    generate,
  };
  const outbound: ResourcePart<TcpScope> = {
    name: 'outbound',
    scope: (context, proxy) => {
      const facts = labelledFactsOf(context, proxy);
      if (facts === undefined) return undefined;
      const view = context.viewOf(proxy.configNamespace);
      return { key: JSON.stringify([facts.key, view.id]), facts, chains: () => outboundTcpChains(view, sniffOutbound) };
    },
    generate,
  };
  return {
    mode: 'wildcard',
    typeUrl: POLICY_TYPE_URLS.tcpClientConfig,
    parts: [inbound, outbound],
    affectedBy: serviceConfigsAffectedBy,
  };
}
