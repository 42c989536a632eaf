import type { ObjectKey } from '../../../config/object.js';
import type { HttpApiSpec } from '../../../config/policy/http-api-spec.js';
import type { QuotaSpec } from '../../../config/policy/quota-spec.js';
import type { Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';

/**
 * Specs without optional fields that most authors mean to set: QuotaSpecs, rules and quotas that charge nothing,
 * patterns for every method, and HTTPAPISpecs without patterns.
 */
export const findSparseSpecs: Analyzer = ({ objects }) => [
  ...[...(objects.get('QuotaSpec') ?? [])].flatMap(([key, { body }]) => [...ofQuotaSpec(key, body as QuotaSpec)]),
  ...[...(objects.get('HTTPAPISpec') ?? [])].flatMap(([key, { body }]) => [...ofApiSpec(key, body as HttpApiSpec)]),
];

function* ofQuotaSpec(object: ObjectKey, { rules }: QuotaSpec): Iterable<AnalysisMessage> {
  if (rules.length === 0) {
    yield createMessage('chargesNothing', { object, field: 'spec.rules' }, 'there are no rules, so nothing is charged');
  }
  for (const [rule, { quotas }] of rules.entries()) {
    const field = `spec.rules[${rule}]`;
    if (quotas.length === 0) {
      yield createMessage('chargesNothing', { object, field }, 'the rule has no quotas, so it charges nothing');
    }
    for (const [index, { quota, charge }] of quotas.entries()) {
      const where = { object, field: `${field}.quotas[${index}]` };
      if (quota === undefined)
        yield createMessage('chargesNothing', where, 'the quota has no name, so nothing is charged');
      else if (charge === 0)
        yield createMessage('chargesNothing', where, `quota ${quota} is charged 0, so nothing is charged`);
    }
  }
}

function* ofApiSpec(object: ObjectKey, { patterns, apiKeys }: HttpApiSpec): Iterable<AnalysisMessage> {
  if (patterns.length === 0) {
    const effect =
      apiKeys.length === 0 ? 'it has no effect' : 'it only sets the place of the API key (request.api_key)';
    yield createMessage('noPatterns', { object, field: 'spec.patterns' }, `there are no patterns, so ${effect}`);
  }
  for (const [index, { httpMethod }] of patterns.entries()) {
    if (httpMethod !== undefined) continue;
    const where = { object, field: `spec.patterns[${index}]` };
    yield createMessage('anyMethod', where, 'without httpMethod it matches requests of every method');
  }
}
