import type { ServiceBody } from '../../config/core/service.js';
import type { ApiGatewaySpec } from '../../config/gateway-api/gateway.js';
import { type MeshObject, objectKey } from '../../config/object.js';
import type { ObjectTables } from './objects-of.js';
import type { GatewayAddress } from './report.js';

/** The routers of a Gateway: the pods of a Service. */
export type Placement =
  | {
      readonly type: 'service';
      /** Namespace of the pods. */
      readonly namespace: string;
      /** Labels of the pods; at least one. */
      readonly selector: Readonly<Record<string, string>>;
      readonly addresses: readonly GatewayAddress[];
    }
  /** No router. @param reason of the condition Programmed */
  | { readonly type: 'none'; readonly reason: 'AddressNotAssigned' | 'AddressNotUsable'; readonly message: string };

/** The Service that serves Gateways without addresses. */
export interface DefaultService {
  readonly namespace: string;
  readonly name: string;
}

/** Finds the Service whose pods serve a Gateway: the one that `addresses` names by its host, else the default one. */
export function placeGateway(
  { addresses }: ApiGatewaySpec,
  objects: ObjectTables,
  domain: string,
  automatic: DefaultService,
): Placement {
  const values = addresses.flatMap(({ type, value = '' }) => (value === '' ? [] : [{ type, value }]));
  const [first, ...others] = values;
  if (others.length > 0) return unusable('has several addresses; name one Service');
  if (first === undefined) return placeAt(automatic, objects, 'AddressNotAssigned');
  if (first.type === 'Hostname') {
    const named = serviceOfHost(first.value, domain);
    if (named !== undefined) return placeAt(named, objects, 'AddressNotUsable');
    return unusable(`has the address ${first.value}, which is no Service; use <name>.<namespace>.svc.${domain}`);
  }
  const placed = placeAt(automatic, objects, 'AddressNotUsable');
  if (placed.type === 'none' || placed.addresses.some(({ value }) => value === first.value)) return placed;
  return unusable(
    `has the address ${first.value}, which the Service ${automatic.namespace}/${automatic.name} does not have`,
  );
}

function unusable(message: string): Placement {
  return { type: 'none', reason: 'AddressNotUsable', message: `the Gateway ${message}` };
}

/** `name.namespace.svc`, with or without the domain. */
function serviceOfHost(host: string, domain: string): DefaultService | undefined {
  const [name, namespace, svc, ...rest] = host.toLowerCase().replace(/\.$/, '').split('.');
  if (name === undefined || namespace === undefined || svc !== 'svc') return undefined;
  return rest.length === 0 || rest.join('.') === domain ? { namespace, name } : undefined;
}

function placeAt(
  { namespace, name }: DefaultService,
  objects: ObjectTables,
  reason: 'AddressNotAssigned' | 'AddressNotUsable',
): Placement {
  const object = objects.get('Service')?.get(objectKey('Service', namespace, name));
  if (object === undefined) {
    const message = `the Service ${namespace}/${name} does not exist; deploy a router with it, or name another one in addresses`;
    return { type: 'none', reason, message };
  }
  const { selector } = (object as MeshObject<string, ServiceBody>).body.spec;
  if (Object.keys(selector).length === 0) {
    return { type: 'none', reason, message: `the Service ${namespace}/${name} selects no pods; give it a selector` };
  }
  const addresses = addressesOf((object as MeshObject<string, ServiceBody>).body, `${name}.${namespace}.svc`);
  return { type: 'service', namespace, selector, addresses };
}

/** Addresses outside of the cluster, else those in it. */
function addressesOf({ spec, status }: ServiceBody, host: string): readonly GatewayAddress[] {
  const outside = (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }): readonly GatewayAddress[] => {
    if (ip !== undefined && ip !== '') return [{ type: 'IPAddress', value: ip }];
    return hostname === undefined || hostname === '' ? [] : [{ type: 'Hostname', value: hostname }];
  });
  const ips = [...(spec.externalIPs ?? [])];
  const inside = (spec.clusterIPs ?? (spec.clusterIP === undefined ? [] : [spec.clusterIP])).filter(
    (ip) => ip !== '' && ip !== 'None',
  );
  const found = [...outside, ...ips.map((value) => ({ type: 'IPAddress', value }) as const)];
  if (found.length > 0) return found;
  if (inside.length > 0) return inside.map((value) => ({ type: 'IPAddress', value }));
  return [{ type: 'Hostname', value: host }];
}
