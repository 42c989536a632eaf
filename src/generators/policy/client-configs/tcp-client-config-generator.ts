import type { EncodedResource } from '../../../envoy/encoded-resource.js';
import { frameNamedResource } from '../../../envoy/message-encoder.js';
import { inboundClusterName } from '../../../envoy/names.js';
import { createMemo } from '../../../model/memo.js';
import { tcpClientConfigOf } from '../../../model/policy/client-configs.js';
import { withFailPolicy } from '../../../model/policy/own-fail-policy.js';
import type { Direction } from '../../../model/policy/proxy-policy.js';
import { createRuledServices, type IsRuled } from '../../../model/policy/rules/ruled-services.js';
import type { PolicyContext, ServicePolicies } from '../../../model/policy/service-policies.js';
import type { ServiceTarget } from '../../../model/proxy.js';
import type { ServiceView } from '../../../model/push-context.js';
import type { Protocol, Service } from '../../../model/service.js';
import { destinationOf } from '../../../model/traffic/destination.js';
import { POLICY_TYPE_URLS } from '../../../policy/wire/call-metadata.js';
import type { ConfigEncoder } from '../../../policy/wire/config-encoder.js';
import { clusterOf } from '../../destination-names.js';
import type { ResourcePart, Scope, WildcardGenerator } from '../../generator.js';
import type { GeneratorSettings } from '../../settings.js';
import { trafficClass } from '../../traffic-class.js';
import { tcpClientConfigsAffectedBy } from '../affected-by.js';
import { createLabelledFacts, type PolicyFacts, type PolicyFactsOf } from '../proxy-facts.js';

interface TcpScope extends Scope {
  readonly facts: PolicyFacts;
  chains(): readonly TcpChain[];
}

/**
 * The TcpClientConfigs of a proxy, by the cluster of their connections. Each names its proxy, so that proxies share none.
 * A resource is encoded again only when its service, a spec that is bound to the service, or whether rules decide about
 * it, has changed.
 */
export function createTcpClientConfigGenerator(
  configs: ConfigEncoder,
  factsOf: PolicyFactsOf,
  policiesOf: (context: PolicyContext) => ServicePolicies,
  { sniffInbound, sniffOutbound }: Pick<GeneratorSettings, 'sniffInbound' | 'sniffOutbound'>,
): WildcardGenerator {
  const labelledFactsOf = createLabelledFacts(factsOf);
  const isRuledIn = createRuledServices();
  const memo = createMemo<EncodedResource>();

  const resourceOf = (
    { bindings, configOf }: ServicePolicies,
    isRuled: IsRuled,
    facts: PolicyFacts,
    chain: TcpChain,
  ): EncodedResource => {
    const { cluster, direction, service, targetPort } = chain;
    const serviceConfig = configOf(service);
    return memo.of([service, serviceConfig, facts], `${cluster} ${targetPort} ${isRuled(service)}`, () => {
      const policy = withFailPolicy(facts.policy, serviceConfig.networkFailPolicy);
      const specs = { ...bindings, isRuled };
      const config = tcpClientConfigOf(policy, facts.identity, direction, service, specs, targetPort);
      return frameNamedResource(POLICY_TYPE_URLS.tcpClientConfig, cluster, configs.tcpClientConfig(config));
    });
  };

  const generate: ResourcePart<TcpScope>['generate'] = (context, { facts, chains }) => {
    const policies = policiesOf(context);
    const isRuled = isRuledIn(context);
    return { resources: chains().map((chain) => resourceOf(policies, isRuled, facts, chain)), findings: [] };
  };

  const inbound: ResourcePart<TcpScope> = {
    name: 'inbound',
    scope: (context, proxy) => {
      const facts = labelledFactsOf(context, proxy);
      const targets = proxy.type === 'sidecar' ? context.inboundOf(proxy) : [];
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
      const view = context.trafficOf(proxy).inAnyCluster.services;
      return { key: JSON.stringify([facts.key, view.id]), facts, chains: () => outboundTcpChains(view, sniffOutbound) };
    },
    generate,
  };
  return {
    mode: 'wildcard',
    typeUrl: POLICY_TYPE_URLS.tcpClientConfig,
    parts: [inbound, outbound],
    affectedBy: tcpClientConfigsAffectedBy,
  };
}

/** A filter chain of a proxy that passes connections of one service on as bytes. */
interface TcpChain {
  /** The cluster of the chain. */
  readonly cluster: string;
  readonly direction: Direction;
  readonly service: Service;
  /** Inbound: the port that the workload listens on. */
  readonly targetPort?: number;
}

/** The first of several targets with one cluster counts, as in the cluster itself. Sorted by cluster. */
function inboundTcpChains(targets: readonly ServiceTarget[], sniff: boolean): readonly TcpChain[] {
  const chains = targets
    .filter(({ port }) => passesBytes(port.protocol, sniff))
    .map(({ service, port, targetPort }): TcpChain => {
      const cluster = inboundClusterName(port.number, port.name, service.hostname);
      return { cluster, direction: 'inbound', service, targetPort };
    });
  return firstByCluster(chains);
}

/** The older of two services with one cluster counts: it comes first in its view. Sorted by cluster. */
function outboundTcpChains({ services }: ServiceView, sniff: boolean): readonly TcpChain[] {
  const chains = services.flatMap((service) =>
    service.ports
      .filter(({ protocol }) => passesBytes(protocol, sniff))
      .map(({ number }): TcpChain => {
        return { cluster: clusterOf(destinationOf(service, number)), direction: 'outbound', service };
      }),
  );
  return firstByCluster(chains);
}

/** A sniffed port has a chain for bytes beside the chain for HTTP. */
function passesBytes(protocol: Protocol, sniff: boolean): boolean {
  const traffic = trafficClass(protocol, sniff);
  return traffic === 'tcp' || traffic === 'tls' || traffic === 'sniffed';
}

function firstByCluster(chains: readonly TcpChain[]): readonly TcpChain[] {
  const byCluster = new Map<string, TcpChain>();
  for (const chain of chains) if (!byCluster.has(chain.cluster)) byCluster.set(chain.cluster, chain);
  return [...byCluster.values()].sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
}
