import type { BoundHttpApiSpec, BoundQuotaSpec } from '../../../config/policy/bound-specs.js';
import type { Service } from '../../service.js';
import type { LabelSet } from '../label-conditions.js';
import { serviceApiOf } from './bucket-keys.js';
import { type BucketKind, bucketKindsOf, MAX_BUCKET_KINDS } from './bucket-kinds.js';
import { type FastEnvironment, type FastObstacle, type FastRule, readFastSpec } from './fast-rules.js';
import type { QuotaShapes } from './quota-shapes.js';

/** The decision about each spec of a service that asks for `fast`. */
export interface FastSpecs {
  /** Of the specs that the proxies of the service enforce. */
  readonly rules: readonly FastRule[];
  /** Why the other ones stay exact. */
  readonly obstacles: ReadonlyMap<BoundQuotaSpec, readonly FastObstacle[]>;
}

const NONE: FastSpecs = { rules: [], obstacles: new Map() };

/** @param apis the HTTPAPISpecs of the service */
export function readFastSpecs(
  service: Service,
  specs: readonly BoundQuotaSpec[],
  apis: readonly BoundHttpApiSpec[],
  shapes: QuotaShapes,
): FastSpecs {
  const wanted = specs.filter(({ enforcement }) => enforcement === 'fast');
  if (wanted.length === 0) return NONE;
  const environment: FastEnvironment = { service, api: serviceApiOf(apis), shapes };
  const rules: FastRule[] = [];
  const obstacles = new Map<BoundQuotaSpec, readonly FastObstacle[]>();
  for (const spec of wanted) {
    const reading = readFastSpec(spec, environment);
    if (reading.type === 'fast') rules.push(...reading.rules);
    else obstacles.set(spec, reading.obstacles);
  }
  if (bucketKindsOf(rules) !== undefined) return { rules, obstacles };
  for (const spec of wanted) if (!obstacles.has(spec)) obstacles.set(spec, [TOO_MANY_KINDS]);
  return { rules: [], obstacles };
}

const TOO_MANY_KINDS: FastObstacle = {
  field: 'rules',
  reason: `the fast rules of the service divide its requests into more than ${MAX_BUCKET_KINDS} kinds: use fewer conditions and dimensions that can be combined`,
  isAboutLimit: false,
};

/** The buckets of a workload of the service. @param labels of the workload */
export function bucketKindsFor({ rules }: FastSpecs, labels: LabelSet): readonly BucketKind[] {
  const own = rules.filter(
    ({ workloads }) =>
      workloads?.some((wanted) => Object.entries(wanted).every(([key, value]) => labels[key] === value)) !== false,
  );
  return bucketKindsOf(own) ?? [];
}
