import type { MeshConfig } from '../../../config/mesh/mesh-config.js';
import { socketAddress } from '../../../envoy/addresses.js';
import { duration } from '../../../envoy/durations.js';
import type { EncodedResource } from '../../../envoy/encoded-resource.js';
import { composeListener } from '../../../envoy/listener-bytes.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import { createMemo } from '../../../model/memo.js';
import { modeOfPort, mutualTlsOfProxy, type WorkloadMutualTls } from '../../../model/security/mutual-tls.js';
import { type InboundTarget, isBound } from '../../../model/sidecars/ingress-targets.js';
import { wildcardAddresses } from '../../address-families.js';
import type { ResourcePart, Scope } from '../../generator.js';
import type { GeneratorSettings } from '../../settings.js';
import type { FilterFactory } from '../filter-factory.js';
import type { ListenerDependencies } from '../listener-dependencies.js';
import { createInboundTls, inboundPortChains } from './inbound-chains.js';
import { boundListenerFilters } from './inbound-inspection.js';
import { type InboundPort, inboundPorts, PLAINTEXT } from './inbound-ports.js';

export interface BoundInboundScope extends Scope {
  readonly dependencies: ListenerDependencies;
  readonly mutualTls: WorkloadMutualTls;
  /** By address and port of the listener. */
  readonly ports: readonly { readonly bind: string; readonly port: InboundPort }[];
}

/** Policies of a workload come and go while its services stay. Each of its proxies has an address of its own. */
const MAX_SCOPES_OF_WORKLOAD = 1_000;

/**
 * The listeners of a Sidecar's ingress that bind their ports instead of taking redirected connections: those with
 * captureMode NONE or an address, and all of a proxy without redirection (INTERCEPTION_MODE NONE).
 */
export function createBoundInboundPart(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
  filters: FilterFactory,
): ResourcePart<BoundInboundScope> {
  const tls = createInboundTls(encoder, settings);
  const scopes = createMemo<BoundInboundScope | undefined>(MAX_SCOPES_OF_WORKLOAD);

  const build = (mesh: MeshConfig, scope: BoundInboundScope, index: number): readonly EncodedResource[] => {
    const { dependencies, mutualTls, ports } = scope;
    const place = ports[index];
    if (place === undefined) return [];
    const { bind, port } = place;
    const context = { encoder, filters, tls, mesh, dependencies };
    const chains = inboundPortChains(context, port, modeOfPort(mutualTls, port.targetPort));
    const listenerFilters = boundListenerFilters(encoder, port, mutualTls, settings.sniffInbound);
    const head = {
      name: boundListenerName(bind, port.targetPort),
      address: socketAddress(bind, port.targetPort),
      ...(listenerFilters.length > 0
        ? {
            listenerFilters,
            listenerFiltersTimeout: duration(settings.inboundProtocolDetectionTimeoutMs),
            continueOnListenerFiltersTimeout: true,
          }
        : {}),
      trafficDirection: 'INBOUND' as const,
    };
    return [composeListener(encoder, { head, chains })];
  };

  return {
    name: 'bound-inbound',
    scope: (context, proxy) => {
      if (proxy.type !== 'sidecar') return undefined;
      const targets = context.inboundOf(proxy);
      const isRedirected = proxy.metadata.interceptionMode !== 'NONE';
      const bound = targets.filter(({ ingress }) => ingress !== undefined && isBound(ingress, isRedirected));
      if (bound.length === 0) return undefined;
      const dependencies = filters.dependenciesOf(context, proxy);
      const mutualTls = proxy.hasSecrets ? mutualTlsOfProxy(context, proxy) : PLAINTEXT;
      const [own = ''] = proxy.ipAddresses;
      const variant = `${dependencies.key}|${dependencies.inboundKey}|${mutualTls.key}|${isRedirected}|${own}`;
      return scopes.of([context.mesh, targets], variant, () => {
        const ports = portsOf(bound, own, dependencies, settings.sniffInbound);
        return { key: `${variant}|${JSON.stringify(ports)}`, dependencies, mutualTls, ports };
      });
    },
    generate: ({ mesh }, scope) => ({
      resources: scope.ports.flatMap((_, index) => build(mesh, scope, index)),
      findings: [],
    }),
  };
}

/** The name of an inbound listener that binds its port. */
function boundListenerName(bind: string, port: number): string {
  return `inbound_${bind}_${port}`;
}

function portsOf(
  bound: readonly InboundTarget[],
  ownAddress: string,
  { families }: ListenerDependencies,
  sniff: boolean,
): BoundInboundScope['ports'] {
  const [wildcard] = wildcardAddresses(families);
  return inboundPorts(bound, sniff, wildcard).ports.flatMap((port) => {
    const ingress = bound.find(({ targetPort }) => targetPort === port.targetPort)?.ingress;
    const bind = ingress === undefined || ingress.bind === '' ? ownAddress : ingress.bind;
    return bind === '' ? [] : [{ bind, port }];
  });
}
