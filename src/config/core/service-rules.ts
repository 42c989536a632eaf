import { isIpAddress } from '../../base/ip-address.js';
import { isFqdn } from '../primitives.js';
import type { Violation } from '../violation.js';
import type { ServiceBody, ServicePort, ServiceSpec } from './service.js';

/** The rules of an API server for a Service. Objects from a folder have passed no API server. */
export function validateService({ spec }: ServiceBody): readonly Violation[] {
  return [...validateClusterIps(spec), ...validateExternalName(spec), ...validatePorts(spec.ports)];
}

function validateClusterIps(spec: ServiceSpec): readonly Violation[] {
  const fields: readonly (readonly [string, string])[] = [
    ...(spec.clusterIP === undefined ? [] : [['spec.clusterIP', spec.clusterIP] as const]),
    ...(spec.clusterIPs ?? []).map((address, index) => [`spec.clusterIPs[${index}]`, address] as const),
  ];
  return fields
    .filter(([, address]) => address !== '' && address !== 'None' && !isIpAddress(address))
    .map(([path, value]) => ({
      path,
      value,
      message: 'is not an IP address',
      remedy: 'use an IP address, None for a headless service, or leave it out',
    }));
}

function validateExternalName(spec: ServiceSpec): readonly Violation[] {
  if (spec.type !== 'ExternalName' || isFqdn(spec.externalName ?? '')) return [];
  return [
    {
      path: 'spec.externalName',
      ...(spec.externalName === undefined ? {} : { value: spec.externalName }),
      message: spec.externalName === undefined ? 'is missing' : 'is not a DNS name',
      remedy: 'set it to the DNS name that the service refers to',
    },
  ];
}

function validatePorts(ports: readonly ServicePort[]): readonly Violation[] {
  const violations: Violation[] = [];
  const names = new Map<string, number>();
  const numbers = new Map<string, number>();
  for (const [index, port] of ports.entries()) {
    const number = `${port.protocol} ${port.port}`;
    const sameName = names.get(port.name);
    const sameNumber = numbers.get(number);
    if (sameName !== undefined) {
      violations.push({
        path: `spec.ports[${index}].name`,
        value: port.name,
        message: `is the name of spec.ports[${sameName}] too`,
        remedy: 'give each port its own name',
      });
    }
    if (sameNumber !== undefined) {
      violations.push({
        path: `spec.ports[${index}].port`,
        value: port.port,
        message: `is the ${port.protocol} port of spec.ports[${sameNumber}] too`,
        remedy: 'list each port once',
      });
    }
    if (sameName === undefined) names.set(port.name, index);
    if (sameNumber === undefined) numbers.set(number, index);
  }
  return violations;
}
