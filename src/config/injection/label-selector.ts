import * as Type from 'typebox';
import { isLabelKey, isLabelValue } from '../primitives.js';
import { stringMap } from '../schema/string-map.js';
import { childPath, type Violation } from '../violation.js';

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;

/** A label selector in the form of Kubernetes: labels must meet all of its requirements. */
export const labelSelectorSchema = Type.Object({
  matchLabels: stringMap(Type.String(), {
    description: 'Required values, by label.',
    default: {},
  }),
  matchExpressions: Type.Array(
    Type.Object({
      key: Type.String({ minLength: 1, description: 'Name of the label.' }),
      operator: Type.Enum([...OPERATORS], { description: 'Relation of the label to the values.' }),
      values: Type.Array(Type.String(), { description: 'The values to compare with, for In and NotIn.', default: [] }),
    }),
    { default: [] },
  ),
});

export interface LabelRequirement {
  readonly key: string;
  readonly operator: (typeof OPERATORS)[number];
  readonly values: readonly string[];
}

export interface LabelSelector {
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly matchExpressions: readonly LabelRequirement[];
}

/**
 * Rules of a selector that its schema cannot express: keys and values must be valid for labels, because a selector with a
 * typing error would silently select no pod. In and NotIn need values; the other operators take none.
 */
export function* validateLabelSelector(
  path: string,
  { matchLabels, matchExpressions }: LabelSelector,
): Generator<Violation> {
  for (const [key, value] of Object.entries(matchLabels)) {
    yield* validateKey(`${path}.matchLabels`, key);
    yield* validateValue(childPath(`${path}.matchLabels`, key), value);
  }
  for (const [index, { key, operator, values }] of matchExpressions.entries()) {
    yield* validateKey(`${path}.matchExpressions[${index}].key`, key);
    for (const [at, value] of values.entries()) {
      yield* validateValue(`${path}.matchExpressions[${index}].values[${at}]`, value);
    }
    const takesValues = operator === 'In' || operator === 'NotIn';
    if (takesValues === values.length > 0) continue;
    yield {
      path: `${path}.matchExpressions[${index}].values`,
      value: values,
      message: takesValues ? `is empty, but ${operator} needs values` : `is set, but ${operator} takes no values`,
      remedy: takesValues ? 'give at least one value' : 'remove it',
    };
  }
}

function* validateKey(path: string, key: string): Generator<Violation> {
  if (isLabelKey(key)) return;
  const remedy = 'use at most 63 letters, digits, "-", "_" and ".", with an optional "dns.name/" before them';
  yield { path, value: key, message: 'is not a valid label key, so no pod has it', remedy };
}

function* validateValue(path: string, value: string): Generator<Violation> {
  if (isLabelValue(value)) return;
  const remedy = 'use at most 63 letters, digits, "-", "_" and "."';
  yield { path, value, message: 'is not a valid label value, so no pod has it', remedy };
}

/**
 * Whether labels meet a selector. A selector without requirements matches no pod
 * (docs/reference/webhooks.md#injection).
 */
export function selectsLabels(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const exact = Object.entries(selector.matchLabels);
  if (exact.length + selector.matchExpressions.length === 0) return false;
  const valueOf = (key: string): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  return (
    exact.every(([key, value]) => valueOf(key) === value) &&
    selector.matchExpressions.every((requirement) => isMet(requirement, valueOf(requirement.key)))
  );
}

function isMet({ operator, values }: LabelRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}
