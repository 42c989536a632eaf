import type { Static } from 'typebox';
import * as Type from 'typebox';
import { validateDuration } from '../../../duration-rules.js';
import { isHeaderName, isHeaderText } from '../../../networking/header-rules.js';
import { durationField } from '../../../policy/attributes.js';
import type { Immutable } from '../../../schema/immutable.js';
import { stringMap } from '../../../schema/string-map.js';
import { childPath } from '../../../violation.js';
import { text } from '../../fields.js';
import { RULE_LIMITS } from '../../limits.js';
import type { CompiledAdapter } from '../compiled-adapter.js';

const schema = Type.Object(
  {
    endpoint: text('URL of the collector, for OTLP over HTTP: http://collector.shop:4318.'),
    headers: stringMap(Type.String({ maxLength: RULE_LIMITS.textLength }), {
      description: 'Headers of each request to the collector.',
      default: {},
      maxProperties: RULE_LIMITS.headerOperations,
    }),
    timeout: durationField({ description: 'Longest time for a request.', default: '10s' }),
    resourceAttributes: stringMap(Type.String({ maxLength: RULE_LIMITS.textLength }), {
      description: 'Attributes of the resource, for example service.name.',
      default: {},
      maxProperties: RULE_LIMITS.labels,
    }),
  },
  { additionalProperties: false, description: 'Parameters of otlp.' },
);

export type OtlpParams = Immutable<Static<typeof schema>>;

/** Sends log entries and spans to a collector of OpenTelemetry. */
export const otlp: CompiledAdapter<OtlpParams> = {
  name: 'otlp',
  templates: ['logentry', 'tracespan'],
  schema,
  *validate({ endpoint, headers, timeout }) {
    if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
      const remedy = 'use for example http://collector.shop:4318';
      yield { path: 'endpoint', value: endpoint, message: 'is not a URL of HTTP', remedy };
    }
    for (const [name, value] of Object.entries(headers)) {
      if (isHeaderName(name) && isHeaderText(value)) continue;
      const path = childPath('headers', name);
      // Not the value: it may be a token.
      yield { path, message: 'is not a header', remedy: 'use for example x-tenant: shop' };
    }
    yield* validateDuration('timeout', timeout);
  },
};
