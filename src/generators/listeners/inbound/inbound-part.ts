import type { MeshConfig } from '../../../config/mesh/mesh-config.js';
import { socketAddress } from '../../../envoy/addresses.js';
import { duration } from '../../../envoy/durations.js';
import type { EncodedResource } from '../../../envoy/encoded-resource.js';
import { composeListener, type ListenerParts } from '../../../envoy/listener-bytes.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import { VIRTUAL_INBOUND_LISTENER } from '../../../envoy/names.js';
import { createMemo } from '../../../model/memo.js';
import type { InterceptionMode } from '../../../model/proxy.js';
import { modeOfPort, mutualTlsOfProxy, type WorkloadMutualTls } from '../../../model/security/mutual-tls.js';
import { isBound } from '../../../model/sidecars/ingress-targets.js';
import { wildcardAddresses } from '../../address-families.js';
import type { ResourcePart, Scope } from '../../generator.js';
import type { GeneratorSettings } from '../../settings.js';
import type { FilterFactory } from '../filter-factory.js';
import type { ListenerDependencies } from '../listener-dependencies.js';
import {
  createInboundTls,
  inboundBlackHoleChain,
  inboundPassthroughChains,
  inboundPortChains,
} from './inbound-chains.js';
import { inboundListenerFilters } from './inbound-inspection.js';
import { type InboundPorts, inboundPorts, PLAINTEXT, VIRTUAL_INBOUND_PORT } from './inbound-ports.js';

export interface InboundScope extends Scope {
  readonly dependencies: ListenerDependencies;
  readonly interceptionMode: InterceptionMode;
  readonly inbound: InboundPorts;
  /** Plaintext only, for a proxy without a certificate. */
  readonly mutualTls: WorkloadMutualTls;
}

/**
 * Policies of a workload come and go while its services stay, so results for former policies must not add up. Nearly all
 * proxies of a workload have the same scope.
 */
const MAX_SCOPES_OF_WORKLOAD = 2;
/** Workloads with different policies have different chains. Encoding them again is cheap. */
const MAX_COMMON_CHAINS = 128;

/**
 * `virtualInbound`: chains for each port of the workload, and passthrough for other ports
 * (docs/reference/xds.md#sidecar-listeners), each in mutual TLS, plaintext or both. Absent without redirection
 * (INTERCEPTION_MODE NONE).
 */
export function createInboundPart(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
  filters: FilterFactory,
): ResourcePart<InboundScope> {
  const tls = createInboundTls(encoder, settings);
  const scopes = createMemo<InboundScope>(MAX_SCOPES_OF_WORKLOAD);
  const listeners = createMemo<EncodedResource>();
  /** Chains that are the same for every workload. */
  const commonChains = createMemo<readonly Buffer[]>(MAX_COMMON_CHAINS);

  const build = (mesh: MeshConfig, scope: InboundScope): EncodedResource => {
    const { dependencies, interceptionMode, inbound, mutualTls } = scope;
    const [wildcard, ...additional] = wildcardAddresses(dependencies.families);
    const chainContext = { encoder, filters, tls, mesh, dependencies };
    const unclaimed = (port: number | undefined, mode: WorkloadMutualTls['mode']): readonly Buffer[] =>
      inboundPassthroughChains(chainContext, { port, mode, sniff: settings.sniffInbound });
    const common = commonChains.of([mesh], `${dependencies.key}|${dependencies.inboundKey}|${mutualTls.mode}`, () => [
      inboundBlackHoleChain(chainContext),
      ...unclaimed(undefined, mutualTls.mode),
    ]);
    const claimed = new Set(inbound.ports.map(({ targetPort }) => targetPort)).add(VIRTUAL_INBOUND_PORT);
    const chains = [
      ...common,
      // Ports of no service have their mode too: otherwise a client could bypass it.
      ...[...mutualTls.ports].flatMap(([port, mode]) => (claimed.has(port) ? [] : unclaimed(port, mode))),
      ...inbound.ports.flatMap((port) => inboundPortChains(chainContext, port, modeOfPort(mutualTls, port.targetPort))),
    ];
    const head: ListenerParts['head'] = {
      name: VIRTUAL_INBOUND_LISTENER,
      address: socketAddress(wildcard, VIRTUAL_INBOUND_PORT),
      additionalAddresses: additional.map((it) => ({ address: socketAddress(it, VIRTUAL_INBOUND_PORT) })),
      listenerFilters: inboundListenerFilters(encoder, inbound.ports, mutualTls, settings.sniffInbound),
      listenerFiltersTimeout: duration(settings.inboundProtocolDetectionTimeoutMs),
      continueOnListenerFiltersTimeout: true,
      transparent: interceptionMode === 'TPROXY' ? { value: true } : null,
      trafficDirection: 'INBOUND',
    };
    return composeListener(encoder, { head, chains });
  };

  return {
    name: 'inbound',
    scope: (context, proxy) => {
      const { interceptionMode } = proxy.metadata;
      if (proxy.type !== 'sidecar' || interceptionMode === 'NONE') return undefined;
      const dependencies = filters.dependenciesOf(context, proxy);
      const targets = context.inboundOf(proxy);
      const mutualTls = proxy.hasSecrets ? mutualTlsOfProxy(context, proxy) : PLAINTEXT;
      const variant = `${dependencies.key}|${dependencies.inboundKey}|${interceptionMode}|${mutualTls.key}`;
      return scopes.of([context.mesh, targets], variant, () => {
        const [wildcard] = wildcardAddresses(dependencies.families);
        const redirected = targets.filter(({ ingress }) => ingress === undefined || !isBound(ingress, true));
        const inbound = inboundPorts(redirected, settings.sniffInbound, wildcard);
        return { key: `${variant}|${JSON.stringify(inbound)}`, dependencies, interceptionMode, inbound, mutualTls };
      });
    },
    generate: ({ mesh }, scope) => ({
      resources: [listeners.of([mesh, scope.inbound], scope.key, () => build(mesh, scope))],
      findings: scope.inbound.conflicts,
    }),
  };
}
