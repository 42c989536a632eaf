import type { ObjectKey } from '../../../config/object.js';
import type { ApiKeySpec, HttpApiSpec, HttpApiSpecPattern } from '../../../config/policy/http-api-spec.js';
import { LIMITS } from '../../../config/policy/limits.js';
import { parseUriTemplate } from '../../../config/policy/uri-template.js';
import type { Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';

/** Patterns and API keys that repeat an earlier one, which already matches their requests. */
export const findShadowedPatterns: Analyzer = ({ objects }) =>
  [...(objects.get('HTTPAPISpec') ?? [])].flatMap(([object, { body }]) => {
    const { patterns, apiKeys } = body as HttpApiSpec;
    return [
      ...repeated(object, 'patterns', patterns, identityOfPattern, shownPattern),
      ...repeated(object, 'apiKeys', apiKeys, shownKey, shownKey),
    ].slice(0, LIMITS.violations);
  });

function repeated<Item>(
  object: ObjectKey,
  field: 'patterns' | 'apiKeys',
  items: readonly Item[],
  identityOf: (item: Item) => string | undefined,
  shown: (item: Item) => string,
): readonly AnalysisMessage[] {
  const firstOf = new Map<string, number>();
  return items.flatMap((item, index) => {
    const identity = identityOf(item);
    if (identity === undefined) return [];
    const first = firstOf.get(identity);
    if (first === undefined) {
      firstOf.set(identity, index);
      return [];
    }
    const where = { object, field: `spec.${field}[${index}]` };
    return createMessage('shadowedPattern', where, `${field}[${first}] already matches ${shown(item)}`);
  });
}

/**
 * A key that patterns for the same requests share: names of variables do not matter, and a query excludes only values
 * beyond its limits. Undefined for patterns that are not compared.
 */
function identityOfPattern({ httpMethod = '*', uriTemplate, regex }: HttpApiSpecPattern): string | undefined {
  if (uriTemplate === undefined) return undefined;
  const parsed = parseUriTemplate(uriTemplate);
  if (parsed.type === 'error' || regex !== undefined) return undefined;
  const { segments, verb, query } = parsed.template;
  return query.some(({ maxLength }) => maxLength !== undefined)
    ? undefined
    : JSON.stringify([httpMethod, segments, verb]);
}

function shownPattern({ httpMethod = '*', uriTemplate }: HttpApiSpecPattern): string {
  return `${httpMethod} ${uriTemplate}`;
}

/** Names of headers are not case-sensitive. */
function shownKey({ query, header }: ApiKeySpec): string {
  return query === undefined ? `header ${header?.toLowerCase()}` : `query ${query}`;
}
