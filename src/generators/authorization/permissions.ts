import { cidrRange } from '../../envoy/addresses.js';
import type { Permission } from '../../generated/envoy/config/rbac/v3/Permission.js';
import { regexMatcher, valueMatcher, valueRegex } from './value-matcher.js';

export const ANY_PERMISSION: Permission = { any: true };

export function allPermissions(rules: readonly Permission[]): Permission {
  return rules.length === 1 ? (rules[0] ?? ANY_PERMISSION) : { andRules: { rules: [...rules] } };
}

/** One of the values must match, and none of the others. */
export function permissionOf(
  values: readonly string[] | undefined,
  notValues: readonly string[] | undefined,
  build: (value: string) => Permission,
): readonly Permission[] {
  return [
    ...(values === undefined ? [] : [anyOf(values.map(build))]),
    ...(notValues === undefined ? [] : [{ notRule: anyOf(notValues.map(build)) }]),
  ];
}

function anyOf(rules: Permission[]): Permission {
  return rules.length === 1 ? (rules[0] ?? ANY_PERMISSION) : { orRules: { rules } };
}

const EXPLICIT_PORT = /:\d+$/;

/** Hosts are compared in any case, and without the port, which the client chooses, unless the value names one. */
export function hostPermission(value: string): Permission {
  const port = EXPLICIT_PORT.test(value) || value.endsWith('*') ? '' : '(:[0-9]+)?';
  return { header: { name: ':authority', stringMatch: regexMatcher(`(?i)${valueRegex(value)}${port}`) } };
}

export function methodPermission(value: string): Permission {
  return { header: { name: ':method', stringMatch: valueMatcher(value) } };
}

export function pathPermission(value: string): Permission {
  return { urlPath: { path: valueMatcher(value) } };
}

export function portPermission(value: string): Permission {
  return { destinationPort: Number(value) };
}

export function destinationIpPermission(value: string): Permission {
  return { destinationIp: cidrRange(cidrOf(value)) };
}

export function serverNamePermission(value: string): Permission {
  return { requestedServerName: valueMatcher(value) };
}

/** A range with the prefix length that an address lacks. */
export function cidrOf(value: string): string {
  if (value.includes('/')) return value;
  return value.includes(':') ? `${value}/128` : `${value}/32`;
}
