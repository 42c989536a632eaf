import { escapeRegex } from '../../base/escape-regex.js';
import { cidrRange } from '../../envoy/addresses.js';
import type { Permission } from '../../generated/envoy/config/rbac/v3/Permission.js';
import type { StringMatcher } from '../../generated/envoy/type/matcher/v3/StringMatcher.js';
import { parseValuePattern, regexMatcher, valueMatcher } from './value-matcher.js';

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

/**
 * Hosts are compared in any case, and without the port, which the client chooses, unless the value names one. Envoy
 * rejects a listener with a regular expression of more than 100 instructions, so the text of a host is in one only if
 * there is no other way: after "*", where validation limits its length.
 */
export function hostPermission(value: string): Permission {
  const pattern = parseValuePattern(value);
  if (pattern.type === 'present') return authority(regexMatcher('.+'));
  const { type, text } = pattern;
  if (type === 'prefix' || EXPLICIT_PORT.test(text)) return authority({ [type]: text, ignoreCase: true });
  if (type === 'suffix') return authority(regexMatcher(`.*${inAnyCase(text)}(:[0-9]+)?`));
  const port = text.endsWith(']') ? '[^\\]]*\\]:[0-9]+' : '[^:]*:[0-9]+';
  const withPort = [authority({ prefix: `${text}:`, ignoreCase: true }), authority(regexMatcher(port))];
  return anyOf([authority({ exact: text, ignoreCase: true }), allPermissions(withPort)]);
}

function authority(stringMatch: StringMatcher): Permission {
  return { header: { name: ':authority', stringMatch } };
}

/** `(?i)` would take several instructions for k and s, which other characters of Unicode equal too. */
function inAnyCase(text: string): string {
  return escapeRegex(text).replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
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
