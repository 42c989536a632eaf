import { MESH_GATEWAY, resolveGatewayName, resolveHost } from '../../../../config/networking/host-names.js';
import { keyOf, type MeshObject } from '../../../../config/object.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import { destinationsOf } from '../../traffic/destinations.js';
import type { TrafficIndex } from '../../traffic/traffic-index.js';
import type { DestinationPart, DestinationRulePart, VirtualServicePart } from '../../traffic/traffic-specs.js';

/** Hosts, ports and subsets of destinations, gateways and delegates that a VirtualService names and that do not exist. */
export const missingDestinations: ObjectAnalyzer = {
  kinds: ['VirtualService'],
  find: (object, index) => {
    const spec = object.body as VirtualServicePart;
    return [
      ...[...destinationsOf(spec)].flatMap(({ field, destination }) =>
        aboutDestination(object, field, destination, index),
      ),
      ...gatewaysOf(spec).flatMap(({ field, name }) => aboutGateway(object, field, name, index)),
      ...(spec.http ?? []).flatMap(({ delegate }, at) => {
        if (delegate?.name === undefined) return [];
        const { namespace } = object.metadata;
        const of = delegate.namespace === undefined || delegate.namespace === '' ? namespace : delegate.namespace;
        if (index.find('VirtualService', of, delegate.name) !== undefined) return [];
        return missing(object, `spec.http[${at}].delegate`, `there is no VirtualService ${of}/${delegate.name}`);
      }),
    ];
  },
};

function aboutDestination(
  object: MeshObject,
  field: string,
  { host = '', subset, port }: DestinationPart,
  index: TrafficIndex,
): readonly AnalysisMessage[] {
  const { namespace } = object.metadata;
  const hostname = resolveHost(host, namespace, index.domain);
  const service = index.serviceOf(host, namespace);
  if (service === undefined) return missing(object, `${field}.host`, `there is no service ${hostname}`);
  const messages: AnalysisMessage[] = [];
  const { number } = port ?? {};
  if (number !== undefined && !service.ports.some((each) => each.number === number)) {
    const ports = service.ports.map((each) => each.number).join(', ');
    messages.push(...missing(object, `${field}.port.number`, `${hostname} has no port ${number}, only ${ports}`));
  }
  if (subset !== undefined && subset !== '') messages.push(...aboutSubset(object, field, hostname, subset, index));
  return messages;
}

function aboutSubset(
  object: MeshObject,
  field: string,
  hostname: string,
  subset: string,
  index: TrafficIndex,
): readonly AnalysisMessage[] {
  const rules = index.rulesOf(hostname);
  const names = rules.flatMap(({ body }) => ((body as DestinationRulePart).subsets ?? []).map(({ name }) => name));
  if (names.includes(subset)) return [];
  // A rule for *.example.com may have the subset.
  const wildcards = index.wildcardRulesOf(hostname);
  if (wildcards.some(({ body }) => ((body as DestinationRulePart).subsets ?? []).some(({ name }) => name === subset))) {
    return [];
  }
  const text =
    rules.length === 0
      ? `no DestinationRule of ${hostname} has a subset ${subset}`
      : `the DestinationRule of ${hostname} has no subset ${subset}, only ${names.join(', ') || 'none'}`;
  const messages = missing(object, `${field}.subset`, text);
  return rules.length === 0 ? messages : messages.map((message) => ({ ...message, isCertain: true as const }));
}

interface NamedGateway {
  readonly field: string;
  readonly name: string;
}

function gatewaysOf({ gateways = [], http = [], tls = [], tcp = [] }: VirtualServicePart): readonly NamedGateway[] {
  const listed = (at: string, names: readonly string[] = []): readonly NamedGateway[] =>
    names.map((name, index) => ({ field: `${at}.gateways[${index}]`, name }));
  return [
    ...listed('spec', gateways),
    ...(
      [
        ['http', http],
        ['tls', tls],
        ['tcp', tcp],
      ] as const
    ).flatMap(([kind, routes]) =>
      routes.flatMap(({ match = [] }, index) =>
        match.flatMap((each, at) => listed(`spec.${kind}[${index}].match[${at}]`, each.gateways)),
      ),
    ),
  ];
}

function aboutGateway(
  object: MeshObject,
  field: string,
  name: string,
  index: TrafficIndex,
): readonly AnalysisMessage[] {
  const resolved = resolveGatewayName(name, object.metadata.namespace);
  const [namespace = '', gateway = ''] = resolved.split('/');
  if (resolved === MESH_GATEWAY || index.find('Gateway', namespace, gateway) !== undefined) return [];
  return missing(object, field, `there is no Gateway ${resolved}`);
}

function missing(object: MeshObject, field: string, text: string): readonly AnalysisMessage[] {
  return [createMessage('missingReference', { object: keyOf(object), field }, text)];
}
