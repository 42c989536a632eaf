import { isCidr, isIpAddress } from '../../base/ip-address.js';
import { isHost } from '../primitives.js';
import type { Violation } from '../violation.js';
import { coversHost } from './host-names.js';
import type { TcpRouteSpec, VirtualServiceSpec } from './virtual-service.js';
import { validateCaller } from './virtual-service-caller-rules.js';
import type { ConnectionDestinationSpec } from './virtual-service-destination.js';
import { validateDestination, validateWeights } from './virtual-service-destination-rules.js';
import type { TlsMatchSpec } from './virtual-service-match.js';

export function* validateTlsRoutes({ tls, hosts }: VirtualServiceSpec): Iterable<Violation> {
  for (const [index, { match, route }] of tls.entries()) {
    const path = `tls[${index}]`;
    for (const [at, condition] of match.entries()) {
      const conditionPath = `${path}.match[${at}]`;
      yield* validateServerNames(conditionPath, condition, hosts);
      yield* validateSubnets(conditionPath, condition.destinationSubnets);
      yield* validateCaller(conditionPath, condition);
    }
    yield* validateConnectionRoute(`${path}.route`, route);
  }
}

export function* validateTcpRoutes(tcp: readonly TcpRouteSpec[]): Iterable<Violation> {
  for (const [index, { match = [], route }] of tcp.entries()) {
    const path = `tcp[${index}]`;
    for (const [at, condition] of match.entries()) {
      const conditionPath = `${path}.match[${at}]`;
      yield* validateSubnets(conditionPath, condition.destinationSubnets);
      if (condition.sourceSubnet !== undefined)
        yield* validateSubnet(`${conditionPath}.sourceSubnet`, condition.sourceSubnet);
      yield* validateCaller(conditionPath, condition);
    }
    yield* validateConnectionRoute(`${path}.route`, route);
  }
}

function* validateServerNames(path: string, { sniHosts }: TlsMatchSpec, hosts: readonly string[]): Iterable<Violation> {
  for (const [index, name] of sniHosts.entries()) {
    const at = `${path}.sniHosts[${index}]`;
    if (name !== '*' && !isHost(name)) {
      yield {
        path: at,
        value: name,
        message: 'is not a server name',
        remedy: 'use a DNS name such as api.example.com',
      };
    } else if (!hosts.some((host) => coversHost(host.toLowerCase(), name.toLowerCase()))) {
      yield {
        path: at,
        value: name,
        message: 'is not within the hosts of the object',
        remedy: 'add it to hosts, or write a name that one of them covers',
      };
    }
  }
}

function* validateSubnets(path: string, subnets: readonly string[] = []): Iterable<Violation> {
  for (const [index, subnet] of subnets.entries())
    yield* validateSubnet(`${path}.destinationSubnets[${index}]`, subnet);
}

function* validateSubnet(path: string, subnet: string): Iterable<Violation> {
  if (isIpAddress(subnet) || isCidr(subnet)) return;
  yield {
    path,
    value: subnet,
    message: 'is neither an IP address nor a CIDR range',
    remedy: 'use for example 10.1.2.3 or 10.1.0.0/16',
  };
}

function* validateConnectionRoute(path: string, route: readonly ConnectionDestinationSpec[]): Iterable<Violation> {
  for (const [index, { destination }] of route.entries()) {
    yield* validateDestination(`${path}[${index}].destination`, destination);
  }
  yield* validateWeights(path, route);
}
