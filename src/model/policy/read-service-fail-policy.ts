import { nearestName } from '../../base/nearest-name.js';
import type { NetworkFailPolicy } from '../../config/policy/transport-config.js';
import { type RefusedAnnotation, shownValue } from '../service.js';
import { readRetries, readWait } from './read-policy-overrides.js';

/**
 * The network fail policy of a service, from its annotations (docs/reference/policy-client.md#serviceconfig,
 * `networkFailPolicy`). Absent fields are those of the mesh config.
 */
export interface ServiceFailPolicy {
  readonly policy?: NetworkFailPolicy['policy'];
  readonly maxRetry?: number;
  /** At least 1, in whole milliseconds. */
  readonly baseRetryWaitMs?: number;
  readonly maxRetryWaitMs?: number;
}

type Annotations = Readonly<Record<string, string>>;

const POLICIES = ['FAIL_OPEN', 'FAIL_CLOSE'] as const;
const NAMES = ['failPolicy', 'maxRetry', 'baseRetryWait', 'maxRetryWait'] as const;
/** Maximum that messages and logs name. */
const MAX_REFUSED = 20;
const NOTHING = { refused: [] } as const;

/** Thrown for one annotation; the reader continues with the next. */
class RefusedAnnotationError extends Error {
  override readonly name = 'RefusedAnnotationError';
  readonly refused: RefusedAnnotation;

  constructor(refused: RefusedAnnotation) {
    super(refused.problem);
    this.refused = refused;
  }
}

/**
 * Reads `policy.D/failPolicy`, `maxRetry`, `baseRetryWait` and `maxRetryWait` of a Service or ServiceEntry. A
 * failPolicy other than FAIL_OPEN and FAIL_CLOSE counts as FAIL_CLOSE, so that a typing error cannot disable limits.
 * Other rejected values are left out.
 *
 * @param meshDomain the mesh domain D
 * @returns no fail policy if no annotation is valid
 */
export function readServiceFailPolicy(
  annotations: Annotations,
  meshDomain: string,
): { readonly failPolicy?: ServiceFailPolicy; readonly refused: readonly RefusedAnnotation[] } {
  const prefix = `policy.${meshDomain}/`;
  const given = Object.keys(annotations).filter((name) => name.startsWith(prefix));
  if (given.length === 0) return NOTHING;
  const refused: RefusedAnnotation[] = [];
  const read = <Value>(readOne: () => Value | undefined): Value | undefined => {
    try {
      return readOne();
    } catch (error) {
      if (!(error instanceof RefusedAnnotationError)) throw error;
      refused.push(error.refused);
      return undefined;
    }
  };
  const texts = {
    text: (name: string) => (Object.hasOwn(annotations, name) ? annotations[name] : undefined),
    wrong: (annotation: string, value: string, wanted: string) =>
      new RefusedAnnotationError({
        annotation,
        value: shownValue(value),
        problem: 'is ignored, and the default holds',
        remedy: `use ${wanted}`,
      }),
  };
  const policy = readFailPolicy(texts.text(`${prefix}failPolicy`), `${prefix}failPolicy`, refused);
  const maxRetry = read(() => readRetries(texts, `${prefix}maxRetry`));
  const baseRetryWaitMs = read(() => readWait(texts, `${prefix}baseRetryWait`));
  const maxRetryWaitMs = read(() => readWait(texts, `${prefix}maxRetryWait`));
  if (baseRetryWaitMs !== undefined && maxRetryWaitMs !== undefined && maxRetryWaitMs < baseRetryWaitMs) {
    const annotation = `${prefix}maxRetryWait`;
    const problem = 'is shorter than baseRetryWait, which holds instead';
    refused.push({
      annotation,
      value: shownValue(annotations[annotation] ?? ''),
      problem,
      remedy: 'use a longer wait',
    });
  }
  for (const annotation of given) {
    const name = annotation.slice(prefix.length);
    if (!NAMES.some((known) => known === name)) refused.push(unknownAnnotation(annotation, annotations, prefix));
  }
  const failPolicy: ServiceFailPolicy = {
    ...(policy !== undefined && { policy }),
    ...(maxRetry !== undefined && { maxRetry }),
    ...(baseRetryWaitMs !== undefined && { baseRetryWaitMs }),
    ...(maxRetryWaitMs !== undefined && { maxRetryWaitMs }),
  };
  return { ...(Object.keys(failPolicy).length > 0 && { failPolicy }), refused: refused.slice(0, MAX_REFUSED) };
}

function readFailPolicy(
  value: string | undefined,
  annotation: string,
  refused: RefusedAnnotation[],
): ServiceFailPolicy['policy'] {
  if (value === undefined) return undefined;
  const policy = POLICIES.find((known) => known === value);
  if (policy !== undefined) return policy;
  const remedy = 'use FAIL_OPEN or FAIL_CLOSE';
  refused.push({ annotation, value: shownValue(value), problem: 'counts as FAIL_CLOSE', remedy });
  return 'FAIL_CLOSE';
}

function unknownAnnotation(annotation: string, annotations: Annotations, prefix: string): RefusedAnnotation {
  const nearest = nearestName(annotation.slice(prefix.length), NAMES);
  const remedy = nearest === undefined ? `use one of ${NAMES.join(', ')}` : `did you mean ${prefix}${nearest}?`;
  return {
    annotation: shownValue(annotation),
    value: shownValue(annotations[annotation] ?? ''),
    problem: 'does nothing on a service',
    remedy,
    isUnknown: true,
  };
}
