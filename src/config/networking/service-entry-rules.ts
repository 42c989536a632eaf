import { isCidr, isIpAddress } from '../../base/ip-address.js';
import { isDnsLabel, isFqdn, isHost } from '../primitives.js';
import { validateLabels } from '../read-metadata.js';
import { repeatedValues } from '../repeated-values.js';
import { childPath, joinPath, type Violation } from '../violation.js';
import { validateExportTo } from './export-to.js';
import { isHttpProtocol, isKnownProtocol, isTlsProtocol, KNOWN_PROTOCOLS } from './port-protocol.js';
import type { ServiceEntrySpec } from './service-entry.js';
import { validateWorkloadEntry } from './workload-entry-rules.js';

/** Rules of a ServiceEntry that its schema cannot express (docs/reference/validation-rules.md#serviceentry). */
export function validateServiceEntry(entry: ServiceEntrySpec): readonly Violation[] {
  return [
    ...validateHosts(entry),
    ...validateAddresses(entry),
    ...validatePorts(entry),
    ...validateSelector(entry),
    ...validateEndpoints(entry),
    ...validateExportTo(entry.exportTo),
    ...validateSubjectAltNames(entry),
  ];
}

function validateHosts(entry: ServiceEntrySpec): readonly Violation[] {
  const violations: Violation[] = [];
  const mustBeExact =
    entry.resolution === 'DNS' && entry.endpoints.length === 0 && entry.workloadSelector === undefined;
  for (const [index, host] of entry.hosts.entries()) {
    const path = `hosts[${index}]`;
    if (!isHost(host)) {
      violations.push({
        path,
        value: host,
        message: host === '*' ? 'matches every host' : 'is not a host name',
        remedy: 'use a DNS name such as api.example.com or *.example.com',
      });
    } else if (mustBeExact && !isFqdn(host)) {
      violations.push({
        path,
        value: host,
        message: 'is a wildcard, which resolution DNS cannot look up',
        remedy: 'use a full DNS name, list endpoints, or use resolution NONE',
      });
    }
  }
  const canTellApart = entry.ports.every((port) => isHttpProtocol(port.protocol) || isTlsProtocol(port.protocol));
  if (entry.hosts.length > 1 && entry.resolution !== 'NONE' && !canTellApart) {
    violations.push({
      path: 'hosts',
      value: entry.hosts,
      message: `cannot be told apart on ports that are neither HTTP nor TLS with resolution ${entry.resolution}`,
      remedy: 'set an HTTP or TLS protocol on each port, or write one ServiceEntry per host',
    });
  }
  return violations;
}

function validateAddresses(entry: ServiceEntrySpec): readonly Violation[] {
  const violations: Violation[] = [];
  for (const [index, address] of entry.addresses.entries()) {
    const path = `addresses[${index}]`;
    if (isIpAddress(address)) continue;
    if (!isCidr(address)) {
      violations.push({
        path,
        value: address,
        message: 'is neither an IP address nor a CIDR range',
        remedy: 'use for example 10.1.2.3 or 10.1.0.0/16',
      });
    } else if (entry.resolution === 'DNS') {
      violations.push({
        path,
        value: address,
        message: 'is a CIDR range, which resolution DNS does not allow',
        remedy: 'use a single IP address, or resolution NONE or STATIC',
      });
    }
  }
  return violations;
}

function validatePorts({ ports }: ServiceEntrySpec): readonly Violation[] {
  const violations: Violation[] = [];
  for (const [index, { name, protocol }] of ports.entries()) {
    if (!isDnsLabel(name)) {
      violations.push({
        path: `ports[${index}].name`,
        value: name,
        message: 'is not a valid port name',
        remedy: 'use at most 63 letters, digits and hyphens',
      });
    }
    if (protocol !== '' && !isKnownProtocol(protocol)) {
      violations.push({
        path: `ports[${index}].protocol`,
        value: protocol,
        message: 'is not a known protocol',
        remedy: `use ${KNOWN_PROTOCOLS.join(', ')}, or leave it out`,
      });
    }
  }
  const names = repeatedValues(ports.map(({ name }) => name)).map(({ index, first }) => ({
    path: `ports[${index}].name`,
    value: ports[index]?.name,
    message: `is the name of ports[${first}] too`,
    remedy: 'give each port its own name',
  }));
  const numbers = repeatedValues(ports.map(({ number }) => number)).map(({ index, first }) => ({
    path: `ports[${index}].number`,
    value: ports[index]?.number,
    message: `is the number of ports[${first}] too`,
    remedy: 'list each number once',
  }));
  return [...violations, ...names, ...numbers];
}

function validateSelector(entry: ServiceEntrySpec): readonly Violation[] {
  if (entry.workloadSelector === undefined) return [];
  const labels = validateLabels(entry.workloadSelector.labels, 'workloadSelector.labels');
  if (entry.endpoints.length === 0) return labels;
  return [
    ...labels,
    {
      path: 'workloadSelector',
      message: 'is set together with endpoints',
      remedy: 'keep one of the two',
    },
  ];
}

function validateEndpoints(entry: ServiceEntrySpec): readonly Violation[] {
  const { endpoints, resolution } = entry;
  if (endpoints.length === 0) return [];
  if (resolution === 'NONE') {
    return [
      {
        path: 'endpoints',
        value: endpoints,
        message: 'are set with resolution NONE, which does not use them',
        remedy: 'use resolution STATIC for addresses or DNS for names, or remove the endpoints',
      },
    ];
  }
  const violations = endpoints.flatMap((_, index) => validateEndpoint(entry, index));
  const hasSocket = endpoints.some((endpoint) => endpoint.address.startsWith('unix:'));
  if (hasSocket && entry.ports.length !== 1) {
    violations.push({
      path: 'ports',
      value: entry.ports,
      message: 'must be exactly one when an endpoint is a unix socket',
      remedy: 'write one ServiceEntry per port',
    });
  }
  return violations;
}

function validateEndpoint(entry: ServiceEntrySpec, index: number): readonly Violation[] {
  const endpoint = entry.endpoints[index];
  if (endpoint === undefined) return [];
  const path = `endpoints[${index}]`;
  const violations = validateWorkloadEntry(endpoint).map((each) => ({ ...each, path: joinPath(path, each.path) }));
  const isSocket = endpoint.address.startsWith('unix:');
  if (entry.resolution === 'STATIC' && !isSocket && isFqdn(endpoint.address)) {
    violations.push({
      path: `${path}.address`,
      value: endpoint.address,
      message: 'is a name, which resolution STATIC does not look up',
      remedy: 'use an IP address or unix:///path, or resolution DNS',
    });
  }
  if (entry.resolution === 'DNS' && isSocket) {
    violations.push({
      path: `${path}.address`,
      value: endpoint.address,
      message: 'is a unix socket, which resolution DNS cannot look up',
      remedy: 'use resolution STATIC',
    });
  }
  for (const name of Object.keys(endpoint.ports)) {
    if (entry.ports.some((port) => port.name === name)) continue;
    violations.push({
      path: childPath(`${path}.ports`, name),
      value: endpoint.ports[name],
      message: 'names no port of the service',
      remedy: `use one of ${entry.ports.map((port) => port.name).join(', ') || 'the ports of the service (it has none)'}`,
    });
  }
  return violations;
}

function validateSubjectAltNames(entry: ServiceEntrySpec): readonly Violation[] {
  return [...entry.subjectAltNames.entries()]
    .filter(([, name]) => name === '')
    .map(([index]) => ({
      path: `subjectAltNames[${index}]`,
      value: '',
      message: 'is empty',
      remedy: 'give a name as in the certificate, or remove the item',
    }));
}
