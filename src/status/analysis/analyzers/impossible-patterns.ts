import { nearestName } from '../../../base/nearest-name.js';
import { KNOWN_METHODS } from '../../../config/attributes/attribute-vocabulary.js';
import type { HttpApiSpec } from '../../../config/policy/http-api-spec.js';
import { LIMITS } from '../../../config/policy/limits.js';
import { literalPrefix } from '../../../config/regex/literal-prefix.js';
import type { Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';

/** Patterns with a method that looks misspelt, or an expression that does not begin with a slash. */
export const findImpossiblePatterns: Analyzer = ({ objects }) =>
  [...(objects.get('HTTPAPISpec') ?? [])].flatMap(([object, { body }]) => {
    const messages: AnalysisMessage[] = [];
    for (const [index, { httpMethod, regex }] of (body as HttpApiSpec).patterns.entries()) {
      const field = `spec.patterns[${index}]`;
      const method = httpMethod === undefined ? undefined : misspelt(httpMethod);
      if (method !== undefined) {
        messages.push(createMessage('impossiblePattern', { object, field: `${field}.httpMethod` }, method));
      }
      const beginning = literalPrefix(regex ?? '');
      if (beginning === '' || beginning.startsWith('/')) continue;
      const text = `${JSON.stringify(regex)} matches no path, because every path begins with a slash`;
      messages.push(createMessage('impossiblePattern', { object, field: `${field}.regex` }, text));
    }
    return messages.slice(0, LIMITS.violations);
  });

/** The problem with a method that RFC 7231 does not define; undefined for `*` and known methods. */
function misspelt(method: string): string | undefined {
  if (method === '*' || KNOWN_METHODS.includes(method)) return undefined;
  const meant = nearestName(method, KNOWN_METHODS);
  return meant === undefined
    ? `${JSON.stringify(method)} is not a method of RFC 7231`
    : `${JSON.stringify(method)} is not a method of RFC 7231 (did you mean ${meant}?)`;
}
