import type { EnvoyFilterPatch, EnvoyFilterSpec } from '../../../../config/networking/envoy-filter.js';
import { resolveHost } from '../../../../config/networking/host-names.js';
import { keyOf } from '../../../../config/object.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { TrafficIndex } from '../../traffic/traffic-index.js';
import type { DestinationRulePart, GatewayPart } from '../../traffic/traffic-specs.js';

/**
 * Patches of EnvoyFilters that name a service, port, subset or Gateway that does not exist, so that they match nothing in
 * any proxy. Names of listeners, filters and virtual hosts depend on the proxy; they are left out.
 */
export const patchTargets: ObjectAnalyzer = {
  kinds: ['EnvoyFilter'],
  find: (object, index) => {
    const { configPatches = [] } = object.body as Partial<EnvoyFilterSpec>;
    return configPatches.flatMap((patch, at) => {
      // An added cluster is added wherever the patch applies.
      if (patch.applyTo === 'CLUSTER' && patch.patch.operation === 'ADD') return [];
      const lost = lostCluster(patch, object.metadata.namespace, index) ?? lostGateway(patch, index);
      if (lost === undefined) return [];
      const where = { object: keyOf(object), field: `spec.configPatches[${at}].match.${lost.field}` };
      return [createMessage('patchWithoutTarget', where, lost.text)];
    });
  },
};

interface Lost {
  /** Below `match`. */
  readonly field: string;
  readonly text: string;
}

function lostCluster({ match }: EnvoyFilterPatch, namespace: string, index: TrafficIndex): Lost | undefined {
  const { service: written, portNumber, subset, name } = match?.cluster ?? {};
  // The name of a cluster decides alone.
  if (written === undefined || name !== undefined) return undefined;
  const hostname = written.toLowerCase();
  const service = index.servicesByHost.get(hostname);
  if (service === undefined) {
    const full = resolveHost(hostname, namespace, index.domain);
    const hint = index.servicesByHost.has(full) ? `; write the whole name, ${full}` : '';
    return { field: 'cluster.service', text: `there is no service with host ${written}${hint}` };
  }
  // Inbound clusters have other ports.
  const isOutbound = match?.context === 'SIDECAR_OUTBOUND' || match?.context === 'GATEWAY';
  if (isOutbound && portNumber !== undefined && !service.ports.some(({ number }) => number === portNumber)) {
    const ports = service.ports.map(({ number }) => number).join(', ');
    return { field: 'cluster.portNumber', text: `${hostname} has no port ${portNumber}, only ${ports}` };
  }
  if (subset === undefined || subset === '') return undefined;
  const rules = [...index.rulesOf(hostname), ...index.wildcardRulesOf(hostname)];
  const isKnown = rules.some(({ body }) =>
    (body as DestinationRulePart).subsets?.some(({ name: known }) => known === subset),
  );
  if (isKnown) return undefined;
  return { field: 'cluster.subset', text: `no DestinationRule of ${hostname} has a subset ${subset}` };
}

function lostGateway({ match }: EnvoyFilterPatch, index: TrafficIndex): Lost | undefined {
  const gateway = match?.routeConfiguration?.gateway;
  if (gateway === undefined) return undefined;
  const field = 'routeConfiguration.gateway';
  const [namespace = '', name = ''] = gateway.split('/');
  const found = index.find('Gateway', namespace, name);
  if (found === undefined) return { field, text: `there is no Gateway ${gateway}` };
  // Plaintext servers of all Gateways share one route table for each port.
  const { servers = [] } = found.body as GatewayPart;
  if (servers.some(({ port }) => port?.protocol === 'HTTPS')) return undefined;
  return { field, text: `the Gateway ${gateway} has no HTTPS server, and other servers share their route tables` };
}
