import type { BoundQuotaSpec } from '../../../config/policy/bound-specs.js';
import type { Service } from '../../service.js';
import type { LabelSet } from '../label-conditions.js';
import { type BucketKey, bucketKeyOf, type ServiceApi } from './bucket-keys.js';
import { type Conjunction, readFastCondition } from './fast-conditions.js';
import type { QuotaShapes } from './quota-shapes.js';
import { requestPartOf } from './request-part.js';

/** A rule that proxies can apply. */
export interface FastRule {
  /** The rule matches if any of them holds. */
  readonly alternatives: readonly Conjunction[];
  /** By quota; each above 0. */
  readonly charges: ReadonlyMap<string, number>;
  /** The dimensions of the limits of these quotas. */
  readonly keys: readonly BucketKey[];
  /** The sets of labels of its workloads; undefined for all workloads. */
  readonly workloads: readonly LabelSet[] | undefined;
}

/** A part of a spec that proxies cannot enforce. */
export interface FastObstacle {
  /** Path in the spec: `rules[0].match[1].clause["request.size"]`. */
  readonly field: string;
  readonly reason: string;
  /** Whether it is about a limit of the policy server, not about the spec itself. */
  readonly isAboutLimit: boolean;
}

/** The facts that decide which rules proxies can apply. */
export interface FastEnvironment {
  readonly service: Service;
  readonly api: ServiceApi;
  readonly shapes: QuotaShapes;
}

export type FastReading =
  | { readonly type: 'fast'; readonly rules: readonly FastRule[] }
  | { readonly type: 'exact'; readonly obstacles: readonly FastObstacle[] };

/** Reads a spec for the proxies of a service. Every rule must be readable: a request must be charged as a whole. */
export function readFastSpec(spec: BoundQuotaSpec, environment: FastEnvironment): FastReading {
  const obstacles: FastObstacle[] = [];
  if (spec.rateLimitHeaders) obstacles.push(obstacleOf('rateLimitHeaders', 'proxies do not tell callers what is left'));
  if (spec.refund) obstacles.push(obstacleOf('refund', 'proxies cannot give back what a request was charged'));
  if (spec.dryRun) obstacles.push(obstacleOf('dryRun', 'proxies cannot let requests pass that exceed their shares'));
  const rules = spec.rules.flatMap((rule, index) => readRule(rule, `rules[${index}]`, environment, obstacles));
  return obstacles.length === 0 ? { type: 'fast', rules } : { type: 'exact', obstacles };
}

/** About a field that says how the whole spec is charged. */
function obstacleOf(field: keyof BoundQuotaSpec, reason: string): FastObstacle {
  return { field, reason, isAboutLimit: false };
}

function readRule(
  { match, quotas, workloads }: BoundQuotaSpec['rules'][number],
  field: string,
  environment: FastEnvironment,
  obstacles: FastObstacle[],
): readonly FastRule[] {
  const charges = new Map<string, number>();
  const keys = new Map<string, BucketKey>();
  for (const [index, { quota, charge }] of quotas.entries()) {
    if (quota === undefined || charge === 0) continue;
    charges.set(quota, (charges.get(quota) ?? 0) + charge);
    const read = readKeys(quota, environment);
    if (typeof read === 'string') {
      obstacles.push({ field: `${field}.quotas[${index}].quota`, reason: read, isAboutLimit: true });
    } else for (const key of read) keys.set(key.dimension, key);
  }
  if (charges.size === 0) return [];
  const alternatives =
    match.length === 0
      ? [[]]
      : match.flatMap(({ clause }, index) => readClause(clause, `${field}.match[${index}]`, environment, obstacles));
  // A rule whose conditions never hold charges nothing.
  if (alternatives.length === 0) return [];
  return [{ alternatives, charges, keys: [...keys.values()], workloads: workloads?.map(({ labels }) => labels) }];
}

/** @returns the conjunction, or none for a clause that never holds */
function readClause(
  clause: BoundQuotaSpec['rules'][number]['match'][number]['clause'],
  field: string,
  { service, api }: FastEnvironment,
  obstacles: FastObstacle[],
): readonly Conjunction[] {
  const conditions: Conjunction[number][] = [];
  let isPossible = true;
  for (const [attribute, match] of Object.entries(clause)) {
    const part = api.attributes.has(attribute) ? undefined : requestPartOf(attribute, service);
    const read = readFastCondition(part, match);
    switch (read.type) {
      case 'tested':
        conditions.push(read.condition);
        break;
      case 'known':
        isPossible &&= read.holds;
        break;
      case 'hidden':
        obstacles.push({
          field: `${field}.clause[${JSON.stringify(attribute)}]`,
          reason: read.reason,
          isAboutLimit: false,
        });
        break;
    }
  }
  return isPossible ? [conditions] : [];
}

/** The keys of a quota's limit, or the reason why proxies cannot count by them. */
function readKeys(quota: string, { service, api, shapes }: FastEnvironment): readonly BucketKey[] | string {
  const shape = shapes.get(quota);
  if (shape === undefined) return 'the policy server reports no limit of this quota';
  if (shape.hasKeyList) return 'its limit lists the keys that are accepted, and proxies do not know the list';
  const keys: BucketKey[] = [];
  for (const dimension of shape.dimensions) {
    const key = bucketKeyOf(dimension, service, api);
    if (key === undefined) return `its limit counts by ${dimension}, which proxies cannot see`;
    keys.push(key);
  }
  return keys;
}
