import type { BoundHttpApiSpec } from '../../../config/policy/bound-specs.js';
import type { HttpApiSpecPattern } from '../../../config/policy/http-api-spec.js';
import { parseUriTemplate, type UriTemplate } from '../../../config/policy/uri-template.js';
import type { ComparisonBudget } from './comparison-budget.js';
import type { Overlap } from './quota-specs-overlap.js';
import type { MatchesRegex } from './string-matches-overlap.js';
import { templatesOverlap } from './templates-overlap.js';
import { workloadsMeet } from './workloads-meet.js';

/** A parsed pattern, ready to compare. */
interface Operation {
  readonly path: string;
  readonly method: string;
  readonly template: UriTemplate | undefined;
  readonly regex: string | undefined;
}

/** The first two patterns that one request can match; undefined if there are none, or the budget is used up. */
export function findApiOverlap(
  first: BoundHttpApiSpec,
  second: BoundHttpApiSpec,
  budget: ComparisonBudget,
  matches: MatchesRegex,
): Overlap | undefined {
  if (!workloadsMeet(first.workloads, second.workloads)) return undefined;
  const others = second.patterns.map(operationOf);
  for (const operation of first.patterns.map(operationOf)) {
    for (const other of others) {
      if (!budget.spend()) return undefined;
      if (operationsOverlap(operation, other, matches)) return { first: operation.path, second: other.path };
    }
  }
  return undefined;
}

function operationOf({ httpMethod, uriTemplate, regex }: HttpApiSpecPattern, index: number): Operation {
  const parsed = uriTemplate === undefined ? undefined : parseUriTemplate(uriTemplate);
  const template = parsed?.type === 'template' ? parsed.template : undefined;
  return { path: `spec.patterns[${index}]`, method: httpMethod ?? '*', template, regex };
}

/** Two regular expressions, or one and a template with variables, count as disjoint unless they are equal. */
function operationsOverlap(first: Operation, second: Operation, matches: MatchesRegex): boolean {
  if (first.method !== second.method && first.method !== '*' && second.method !== '*') return false;
  if (first.template !== undefined && second.template !== undefined) {
    return templatesOverlap(first.template, second.template);
  }
  if (first.template === undefined && second.template === undefined) return first.regex === second.regex;
  const path = literalPathOf(first.template ?? second.template);
  const regex = first.regex ?? second.regex;
  return path !== undefined && regex !== undefined && matches(regex, path);
}

function literalPathOf(template: UriTemplate | undefined): string | undefined {
  if (template === undefined) return undefined;
  const values = template.segments.map((segment) => (segment.type === 'literal' ? segment.value : undefined));
  if (values.includes(undefined)) return undefined;
  return `/${values.join('/')}${template.verb === undefined ? '' : `:${template.verb}`}`;
}
