import { isIpAddress } from '../../base/ip-address.js';
import { isFqdn } from '../primitives.js';
import { repeatedValues } from '../repeated-values.js';
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
  const names = repeatedValues(ports.map(({ name }) => name)).map(({ index, first }) => ({
    path: `spec.ports[${index}].name`,
    value: ports[index]?.name,
    message: `is the name of spec.ports[${first}] too`,
    remedy: 'give each port its own name',
  }));
  const numbers = repeatedValues(ports.map(({ protocol, port }) => `${protocol} ${port}`)).map(({ index, first }) => ({
    path: `spec.ports[${index}].port`,
    value: ports[index]?.port,
    message: `is the ${ports[index]?.protocol} port of spec.ports[${first}] too`,
    remedy: 'list each port once',
  }));
  return [...names, ...numbers];
}
