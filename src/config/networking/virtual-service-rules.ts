import { isIpAddress } from '../../base/ip-address.js';
import { firstViolations } from '../policy/limits.js';
import { createObjectRegexes, type ObjectRegexes } from '../policy/object-regexes.js';
import { isHost } from '../primitives.js';
import type { Violation } from '../violation.js';
import { validateExportTo } from './export-to.js';
import { coversHost, MESH_GATEWAY } from './host-names.js';
import type { VirtualServiceSpec } from './virtual-service.js';
import { validateGatewayNames } from './virtual-service-caller-rules.js';
import { validateTcpRoutes, validateTlsRoutes } from './virtual-service-connection-rules.js';
import { validateHttpRoutes } from './virtual-service-http-rules.js';
import { routeBytesLimit } from './virtual-service-limits.js';
import { httpRouteBytes } from './virtual-service-size.js';

/** Settings that the rules depend on. */
export interface VirtualServiceRules {
  /** NAV_ENABLE_VIRTUAL_SERVICE_DELEGATE: objects without hosts are valid. */
  readonly delegates: boolean;
}

/**
 * Rules of a VirtualService that its schema cannot express (docs/reference/validation-rules.md#virtualservice).
 *
 * @param regexes checks the expressions of the object; default: with the default limits
 */
export function validateVirtualService(
  spec: VirtualServiceSpec,
  rules: VirtualServiceRules,
  regexes = createObjectRegexes(),
): readonly Violation[] {
  return firstViolations(violationsOf(spec, rules, regexes));
}

function* violationsOf(
  spec: VirtualServiceSpec,
  rules: VirtualServiceRules,
  regexes: ObjectRegexes,
): Iterable<Violation> {
  const isDelegate = spec.hosts.length === 0 && rules.delegates;
  if (isDelegate) yield* validateDelegate(spec);
  else yield* validateHosts(spec);
  yield* validateGatewayNames('gateways', spec.gateways);
  if (spec.http.length + spec.tls.length + spec.tcp.length === 0) {
    yield { path: '', message: 'has no routes', remedy: 'add at least one of http, tls and tcp' };
  }
  yield* validateHttpRoutes(spec.http, isDelegate, regexes);
  yield* validateTlsRoutes(spec);
  yield* validateTcpRoutes(spec.tcp);
  yield* validateExportTo(spec.exportTo);
  const bytes = httpRouteBytes(spec.http);
  const limit = routeBytesLimit(spec.hosts, isForSidecars(spec));
  if (bytes > limit) {
    yield {
      path: 'http',
      value: spec.http,
      message: `take about ${bytes} bytes in the configuration of a proxy, more than ${limit}`,
      remedy: 'write fewer conditions, for example with prefix or regex, or spread the hosts over several objects',
    };
  }
}

function isForSidecars({ gateways }: Pick<VirtualServiceSpec, 'gateways'>): boolean {
  return gateways.length === 0 || gateways.includes(MESH_GATEWAY);
}

function* validateHosts({ hosts, gateways }: VirtualServiceSpec): Iterable<Violation> {
  if (hosts.length === 0) {
    yield { path: 'hosts', value: hosts, message: 'is empty', remedy: 'name at least one host' };
    return;
  }
  const isForMesh = isForSidecars({ gateways });
  let areValid = true;
  for (const [index, host] of hosts.entries()) {
    const isAll = host === '*';
    if (!isAll && (isHost(host) || isIpAddress(host))) continue;
    if (isAll && !isForMesh) continue;
    areValid = false;
    yield {
      path: `hosts[${index}]`,
      value: host,
      message: isAll ? 'would take the requests of sidecars to every host' : 'is not a host name',
      remedy: isAll
        ? 'name the hosts, or name only gateways other than mesh'
        : 'use a DNS name such as api.example.com or *.example.com, or an IP address',
    };
  }
  if (areValid) yield* validateOverlap(hosts);
}

/** Of two hosts that overlap, one would be without effect. */
function* validateOverlap(hosts: readonly string[]): Iterable<Violation> {
  const names = hosts.map((host) => host.toLowerCase());
  for (const [index, name] of names.entries()) {
    const other = names.findIndex((each, at) => at < index && (coversHost(each, name) || coversHost(name, each)));
    if (other < 0) continue;
    yield {
      path: `hosts[${index}]`,
      value: hosts[index],
      message: names[other] === name ? 'is listed twice' : `overlaps with ${hosts[other]}`,
      remedy: 'list each host once, and wildcards without the hosts that they cover',
    };
  }
}

function* validateDelegate({ gateways, tls, tcp }: VirtualServiceSpec): Iterable<Violation> {
  const remedy = 'remove it, or name hosts';
  const why = 'is set in an object without hosts, whose routes apply at the gateways of others';
  if (gateways.length > 0) yield { path: 'gateways', value: gateways, message: why, remedy };
  if (tls.length > 0) yield { path: 'tls', value: tls, message: 'is set in an object without hosts', remedy };
  if (tcp.length > 0) yield { path: 'tcp', value: tcp, message: 'is set in an object without hosts', remedy };
}
