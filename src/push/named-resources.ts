import type { EncodedResource } from '../envoy/encoded-resource.js';
import { nextResourceSet, type ResourceSet, replaceResources } from '../envoy/resource-set.js';
import type { NamedGenerator, Scope } from '../generators/generator.js';
import type { Finding } from '../model/finding.js';
import type { PushContext } from '../model/push-context.js';
import type { ChangedHosts, HostIndex } from './host-index.js';
import type { NameSet } from './name-set.js';
import type { Work } from './work.js';

/** By name; names without findings have no entry. */
export type NamedFindings = ReadonlyMap<string, readonly Finding[]>;

/** The resources and findings of one type for one scope and one set of names. */
export interface NamedResult {
  readonly set: ResourceSet;
  readonly findings: NamedFindings;
}

/** The resources to make. */
export interface NamedWork {
  readonly context: PushContext;
  readonly generator: NamedGenerator;
  readonly scope: Scope;
  readonly names: NameSet;
}

interface OneResult {
  readonly resource: EncodedResource | undefined;
  readonly found: readonly Finding[];
}

const NO_FINDINGS: readonly Finding[] = [];
/** Resources that are made before the work pauses: a new one takes some 10 µs. */
const MADE_AT_ONCE = 64;

/** Makes every resource that is asked for. */
export function* generateNamed(work: NamedWork, before: NamedResult | undefined): Work<NamedResult> {
  const resources: EncodedResource[] = [];
  const findings = new Map<string, readonly Finding[]>();
  let made = 0;
  for (const name of work.names.names) {
    const { resource, found } = yield* generateOne(work, name);
    if (resource !== undefined) resources.push(resource);
    if (found.length > 0) findings.set(name, found);
    if (++made % MADE_AT_ONCE === 0) yield;
  }
  return { set: nextResourceSet(before?.set, resources), findings };
}

/**
 * Makes only the resources that can have changed, so that the cost of a change of one host's endpoints does not depend
 * on the number of hosts. Undefined if all resources have to be made.
 *
 * @param before the last result for equal scope and names
 * @param changed the hosts that changed after it
 */
export function* updateNamed(
  work: NamedWork,
  before: NamedResult | undefined,
  changed: ChangedHosts,
  hosts: HostIndex,
): Work<NamedResult | undefined> {
  const { hostOf } = work.generator;
  if (hostOf === undefined || before === undefined || changed === 'everything') return undefined;
  const resources: EncodedResource[] = [];
  let findings: Map<string, readonly Finding[]> | undefined;
  for (const name of yield* hosts.namesOf(work.names, changed, hostOf)) {
    const { resource, found } = yield* generateOne(work, name);
    if (resource === undefined) return undefined;
    resources.push(resource);
    if (found.length === 0 && !before.findings.has(name)) continue;
    findings ??= new Map(before.findings);
    if (found.length > 0) findings.set(name, found);
    else findings.delete(name);
  }
  const set = replaceResources(before.set, resources);
  return set === undefined ? undefined : { set, findings: findings ?? before.findings };
}

function* generateOne({ context, generator, scope }: NamedWork, name: string): Work<OneResult> {
  const steps = generator.generateInSteps?.(context, scope, name);
  const resource = steps === undefined ? generator.generate(context, scope, name) : yield* steps;
  return { resource, found: generator.findings?.(context, scope, name) ?? NO_FINDINGS };
}
