import { isIpAddress } from '../../base/ip-address.js';
import { isObjectName } from '../primitives.js';
import type { Violation } from '../violation.js';
import type { IngressBackend, IngressBody, IngressPath, IngressSpec } from './ingress.js';

/** The rules of an API server for an Ingress. Objects from a folder have passed no API server. */
export function validateIngress({ spec }: IngressBody): readonly Violation[] {
  const { defaultBackend, rules, tls } = spec;
  return [
    ...(defaultBackend === undefined ? [] : validateBackend(defaultBackend, 'spec.defaultBackend')),
    ...validatePresence(spec),
    ...rules.flatMap(({ host, http }, index) => [
      ...validateHost(host, `spec.rules[${index}].host`),
      ...(http?.paths ?? []).flatMap((path, at) => validatePath(path, `spec.rules[${index}].http.paths[${at}]`)),
    ]),
    ...tls.flatMap(({ hosts, secretName }, index) => [
      ...hosts.flatMap((host, at) => validateHost(host, `spec.tls[${index}].hosts[${at}]`)),
      ...(secretName === '' || isObjectName(secretName) ? [] : [badSecretName(secretName, index)]),
    ]),
  ];
}

function validatePresence({ defaultBackend, rules }: IngressSpec): readonly Violation[] {
  if (defaultBackend !== undefined || rules.length > 0) return [];
  return [
    {
      path: 'spec',
      message: 'has neither rules nor a defaultBackend',
      remedy: 'give one of them, so that requests arrive',
    },
  ];
}

function validateHost(host: string, path: string): readonly Violation[] {
  const name = host.startsWith('*.') ? host.slice(2) : host;
  if (host === '' || (isObjectName(name) && !isIpAddress(name))) return [];
  return [
    {
      path,
      value: host,
      message: 'is not a host name',
      remedy: 'use lower-case labels such as shop.example.com, *.example.com, or leave it out for every host',
    },
  ];
}

const FORBIDDEN_PARTS = ['//', '/./', '/../', '%2f', '%2F', '%5c', '%5C'];
const FORBIDDEN_ENDS = ['/..', '/.'];

function validatePath({ path, pathType, backend }: IngressPath, place: string): readonly Violation[] {
  const violations = [...validateBackend(backend, `${place}.backend`)];
  const isFree = pathType === 'ImplementationSpecific';
  if (!(path.startsWith('/') || (isFree && path === ''))) {
    violations.push({
      path: `${place}.path`,
      value: path,
      message: 'does not start with a slash',
      remedy: 'use a path such as /shop, or / for every path',
    });
  }
  const part =
    FORBIDDEN_PARTS.find((each) => path.includes(each)) ?? FORBIDDEN_ENDS.find((each) => path.endsWith(each));
  if (!isFree && part !== undefined) {
    violations.push({
      path: `${place}.path`,
      value: path,
      message: `contains ${part}, which requests never have after normalization`,
      remedy: 'write the path without it',
    });
  }
  return violations;
}

function validateBackend({ service, resource }: IngressBackend, path: string): readonly Violation[] {
  if (service === undefined) {
    if (resource !== undefined) return [];
    return [{ path, message: 'names no destination', remedy: 'set service with name and port' }];
  }
  const { port } = service;
  const given = [port.number, port.name === '' ? undefined : port.name].filter((value) => value !== undefined);
  const both = resource === undefined ? [] : [bothBackends(path)];
  if (given.length === 1) return both;
  return [
    ...both,
    {
      path: `${path}.service.port`,
      message: given.length === 0 ? 'has neither number nor name' : 'has a number and a name',
      remedy: 'set exactly one of number and name',
    },
  ];
}

function bothBackends(path: string): Violation {
  return { path, message: 'has service and resource', remedy: 'keep service' };
}

function badSecretName(value: string, index: number): Violation {
  return {
    path: `spec.tls[${index}].secretName`,
    value,
    message: 'is not the name of a Secret',
    remedy: 'use lower-case labels separated by dots, without a namespace',
  };
}
