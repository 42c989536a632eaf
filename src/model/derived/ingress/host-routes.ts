import type { ServiceBody } from '../../../config/core/service.js';
import type { VirtualServiceSpec } from '../../../config/networking/virtual-service.js';
import type { HttpRouteSpec } from '../../../config/networking/virtual-service-http.js';
import { routeBytesLimit, VIRTUAL_SERVICE_LIMITS } from '../../../config/networking/virtual-service-limits.js';
import type { HttpMatchSpec } from '../../../config/networking/virtual-service-match.js';
import { httpRouteBytes } from '../../../config/networking/virtual-service-size.js';
import { keyOf, type MeshObject } from '../../../config/object.js';
import { compareText } from '../../service-order.js';
import type { DerivationInput, DerivationProblem } from '../derivation.js';
import { type HostShare, nameOf, shown } from './host-owners.js';
import type { PathRule, ServiceBackend } from './ingress-parts.js';

/** A rule of a path with the Ingress that has it. */
interface OwnedRule extends PathRule {
  readonly ingress: MeshObject;
}

export interface HostRoutesSettings {
  /** DNS suffix of the cluster. */
  readonly domain: string;
  /** Names of the Gateways that serve the host. */
  readonly gateways: readonly string[];
}

export interface HostRoutes {
  /** Undefined without any route. */
  readonly spec: VirtualServiceSpec | undefined;
  readonly problems: readonly DerivationProblem[];
}

/**
 * The VirtualService of a host: exact paths first, then the longest prefix. Of two rules for one path the older applies.
 *
 * @param shares of the host, the oldest first
 */
export function buildHostRoutes(
  host: string,
  shares: readonly HostShare[],
  { domain, gateways }: HostRoutesSettings,
  find: DerivationInput['find'],
): HostRoutes {
  const problems: DerivationProblem[] = [];
  const chosen = chooseRules(host, shares, problems);
  const http: HttpRouteSpec[] = [];
  const limit = routeBytesLimit([host], false);
  let bytes = 0;
  for (const rule of chosen) {
    const route = buildRoute(host, rule, domain, find, problems);
    bytes += httpRouteBytes([route]);
    if (http.length >= VIRTUAL_SERVICE_LIMITS.routes || bytes > limit) {
      problems.push({
        type: 'conflict',
        object: keyOf(rule.ingress),
        field: rule.field,
        text: `is one path too many of ${shown(host)}, for which gateways take ${VIRTUAL_SERVICE_LIMITS.routes} paths of together about ${limit} bytes`,
      });
      break;
    }
    http.push(route);
  }
  const spec =
    http.length === 0 ? undefined : { hosts: [host], gateways: [...gateways], http, tls: [], tcp: [], exportTo: ['*'] };
  return { spec, problems };
}

function chooseRules(host: string, shares: readonly HostShare[], problems: DerivationProblem[]): readonly OwnedRule[] {
  const byPath = new Map<string, OwnedRule>();
  const rules = shares.flatMap(({ ingress, rules: { rules: own } }) => own.map((rule) => ({ ...rule, ingress })));
  // A default backend takes only what no rule takes.
  for (const rule of [...rules.filter(({ isDefault }) => !isDefault), ...rules.filter(({ isDefault }) => isDefault)]) {
    const key = `${rule.type} ${rule.path}`;
    const known = byPath.get(key);
    if (known === undefined) byPath.set(key, rule);
    else if (rule.isDefault === known.isDefault) problems.push(pathConflict(host, rule, known));
  }
  return [...byPath.values()].sort(compareRules);
}

function pathConflict(
  host: string,
  { ingress, field, path, isDefault }: OwnedRule,
  known: OwnedRule,
): DerivationProblem {
  const place = known.ingress === ingress ? known.field : `${nameOf(known.ingress)} (${known.field})`;
  const what = isDefault ? 'is a default backend' : `has path ${path}`;
  const text = `${what} of ${shown(host)}, which ${place} has already, and the first one applies`;
  return { type: 'conflict', object: keyOf(ingress), field, text };
}

function compareRules(first: OwnedRule, second: OwnedRule): number {
  return (
    Number(first.type === 'prefix') - Number(second.type === 'prefix') ||
    second.path.length - first.path.length ||
    compareText(first.path, second.path)
  );
}

function buildRoute(
  host: string,
  { ingress, field, backend, ...rule }: OwnedRule,
  domain: string,
  find: DerivationInput['find'],
  problems: DerivationProblem[],
): HttpRouteSpec {
  const { namespace, name } = ingress.metadata;
  const route = { name: `${namespace}/${name}`, match: matchesOf(host, rule) };
  const unavailable = (service: string): HttpRouteSpec => ({
    ...route,
    fault: { abort: { httpStatus: 503, percentage: { value: 100 } } },
    route: [{ destination: { host: `${service}.${namespace}.svc.${domain}` } }],
  });
  if (backend === undefined) return unavailable('unsupported');
  const port = portOf(backend, namespace, find);
  if (typeof port !== 'number') {
    const { part, text } = port;
    problems.push({ type: 'reference', object: keyOf(ingress), field: `${backend.field}.${part}`, text });
    return unavailable(backend.service);
  }
  const destination = { host: `${backend.service}.${namespace}.svc.${domain}`, port: { number: port } };
  return { ...route, route: [{ destination }] };
}

/** Why a backend has no port, and the part of its field that is wrong. */
interface PortProblem {
  readonly part: 'name' | 'port';
  readonly text: string;
}

function portOf(
  { service, port }: ServiceBackend,
  namespace: string,
  find: DerivationInput['find'],
): number | PortProblem {
  const object = find('Service', namespace, service);
  if (object === undefined)
    return { part: 'name', text: `names Service ${namespace}/${service}, which does not exist` };
  const { ports } = (object.body as ServiceBody).spec;
  const found = ports.find((each) => (typeof port === 'number' ? each.port === port : each.name === port));
  if (found !== undefined) return found.port;
  const all = ports.map(({ port: number, name = '' }) => (name === '' ? String(number) : `${number} (${name})`));
  const has = all.length === 0 ? 'no ports' : `ports ${all.join(', ')}`;
  return { part: 'port', text: `names port ${port} of Service ${namespace}/${service}, which has ${has}` };
}

function matchesOf(host: string, { type, path }: Pick<PathRule, 'type' | 'path'>): HttpMatchSpec[] {
  const authority = authorityOf(host);
  const forms: readonly HttpMatchSpec[] =
    type === 'exact'
      ? [{ uri: { exact: path } }]
      : path === '/'
        ? [{ uri: { prefix: '/' } }]
        : [{ uri: { exact: path } }, { uri: { prefix: `${path}/` } }];
  return forms.map((form) => ({ ...form, ...authority }));
}

/** A wildcard stands for one label. The domains of Envoy's virtual hosts stand for any number. */
function authorityOf(host: string): Pick<HttpMatchSpec, 'authority'> {
  if (!host.startsWith('*.')) return {};
  const rest = host.slice(1).replaceAll('.', '\\.');
  return { authority: { regex: `(?i)[^.:]+${rest}(:[0-9]+)?` } };
}
