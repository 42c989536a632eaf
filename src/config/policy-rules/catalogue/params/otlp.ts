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
import { urlViolations } from './http-url.js';

const schema = Type.Object(
  {
    endpoint: text('URL of the collector, for OTLP over HTTP: http://collector.shop:4318.'),
    headers: stringMap(Type.String({ maxLength: RULE_LIMITS.textLength }), {
      description: 'Headers of each request to the collector.',
      default: {},
      maxProperties: RULE_LIMITS.headerOperations,
    }),
    protocol: Type.Enum(['http/protobuf', 'http/json'], {
      description: 'Form of the messages.',
      default: 'http/protobuf',
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

/** Headers that belong to the connection or the body. */
const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'content-encoding',
  'expect',
  'host',
  'transfer-encoding',
  'upgrade',
]);

/** Sends log entries and spans to a collector of OpenTelemetry. */
export const otlp: CompiledAdapter<OtlpParams> = {
  name: 'otlp',
  templates: ['logentry', 'tracespan'],
  schema,
  *validate({ endpoint, headers, timeout }) {
    yield* urlViolations('endpoint', endpoint, {
      use: 'use for example http://collector.shop:4318',
      credentials: 'remove them: they are not sent; headers are',
    });
    for (const [name, value] of Object.entries(headers)) {
      const path = childPath('headers', name);
      if (FRAMING.has(name.toLowerCase())) {
        yield { path, message: 'is set by the sender', remedy: 'remove it' };
        continue;
      }
      if (isHeaderName(name) && isHeaderText(value)) continue;
      // Not the value: it may be a token.
      yield { path, message: 'is not a header', remedy: 'use for example x-tenant: shop' };
    }
    yield* validateDuration('timeout', timeout);
  },
};
