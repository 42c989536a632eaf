import { createHash } from 'node:crypto';
import type { DestinationRuleSpec } from '../../../config/networking/destination-rule.js';
import { keyOf, type MeshObject, type ObjectKey } from '../../../config/object.js';
import { compareAge, compareText } from '../../service-order.js';

/** A DestinationRule as the index reads it. */
export interface RuleEntry {
  readonly key: ObjectKey;
  readonly name: string;
  readonly namespace: string;
  readonly creationTimestamp: string;
  /** Full name or pattern, in lower case and without a dot at its end. */
  readonly host: string;
  readonly spec: DestinationRuleSpec;
  /** Changes with everything that the index reads of the object. */
  readonly id: string;
}

/** @param domain DNS suffix of the cluster: a host without dots is a Service in the namespace of the rule */
export function readRuleEntry(object: MeshObject, domain: string): RuleEntry {
  const spec = object.body as DestinationRuleSpec;
  const { name, namespace, creationTimestamp = '' } = object.metadata;
  const key = keyOf(object);
  const host = fullHost(spec.host, namespace, domain);
  const id = createHash('sha256')
    .update(JSON.stringify([key, creationTimestamp, host, spec]))
    .digest('base64url');
  return { key, name, namespace, creationTimestamp, host, spec, id };
}

/** The host of a rule as it is compared: `web` of namespace `shop` is `web.shop.svc.<domain>`. */
function fullHost(host: string, namespace: string, domain: string): string {
  const isShort = !host.includes('.') && !host.startsWith('*');
  return normalHost(isShort ? `${host}.${namespace}.svc.${domain}` : host);
}

/** Hosts are compared without regard to case. */
export function normalHost(host: string): string {
  const lower = host.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/** Oldest first, then by name: the order of precedence among the rules of one namespace. */
export function compareRules(first: RuleEntry, second: RuleEntry): number {
  return compareAge(first.creationTimestamp, second.creationTimestamp) || compareText(first.name, second.name);
}

/** The namespaces of `exportTo`, or those of the mesh config without it; `*` stays, and `.` is written out. */
export function exportedTo({ spec, namespace }: RuleEntry, defaults: readonly string[]): ReadonlySet<string> {
  const stated = spec.exportTo.length > 0 ? spec.exportTo : defaults;
  const items = stated.length > 0 ? stated : ['*'];
  return new Set(items.map((item) => (item === '.' ? namespace : item)));
}
