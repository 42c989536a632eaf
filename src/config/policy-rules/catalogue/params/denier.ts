import type { Static } from 'typebox';
import * as Type from 'typebox';
import { validateDuration } from '../../../duration-rules.js';
import { isHeaderName, isHeaderText } from '../../../networking/header-rules.js';
import { durationField } from '../../../policy/attributes.js';
import type { Immutable } from '../../../schema/immutable.js';
import { stringMap } from '../../../schema/string-map.js';
import { childPath } from '../../../violation.js';
import { optionalText } from '../../fields.js';
import { RULE_LIMITS } from '../../limits.js';
import type { CompiledAdapter } from '../compiled-adapter.js';
import { reuseFields } from '../reuse-fields.js';
import { HTTP_STATUS_CODES } from './http-status-codes.js';

const directResponseSchema = Type.Object(
  {
    '@type': Type.String({
      description: 'type.googleapis.com/ and the name of the message DirectHttpResponse.',
      maxLength: RULE_LIMITS.nameLength,
      pattern: '[./]DirectHttpResponse$',
    }),
    code: Type.Enum(Object.keys(HTTP_STATUS_CODES), { description: 'Name of the HTTP status, for example Found.' }),
    body: optionalText('Body of the answer.'),
    headers: stringMap(Type.String({ maxLength: RULE_LIMITS.textLength }), {
      description: 'Headers of the answer.',
      default: {},
      maxProperties: RULE_LIMITS.headerOperations,
    }),
  },
  { additionalProperties: false, description: 'The answer to the caller.' },
);

/** FAILED_PRECONDITION */
const DEFAULT_CODE = 9;

const schema = Type.Object(
  {
    status: Type.Object(
      {
        code: Type.Integer({
          description: 'Status of the refusal: a code of gRPC.',
          minimum: 1,
          maximum: 16,
          default: DEFAULT_CODE,
        }),
        message: optionalText('Message of the refusal.'),
        details: Type.Array(directResponseSchema, {
          description: 'An answer for HTTP requests.',
          default: [],
          maxItems: 1,
        }),
      },
      { additionalProperties: false, description: 'The refusal.', default: {} },
    ),
    validDuration: durationField({ description: 'How long an answer may be reused.', default: '5s' }),
    validUseCount: Type.Integer({
      description: 'How often an answer may be reused.',
      minimum: 0,
      maximum: 2147483647,
      default: 1000,
    }),
  },
  { additionalProperties: false, description: 'Parameters of denier.' },
);

export type DenierParams = Immutable<Static<typeof schema>>;

/** Refuses every request that its rules match. */
export const denier: CompiledAdapter<DenierParams> = {
  name: 'denier',
  templates: ['checknothing', 'listentry', 'quota'],
  schema,
  *validate({ status, validDuration }) {
    yield* validateDuration('validDuration', validDuration, { zero: 'allowed' });
    for (const [name, value] of Object.entries(status.details[0]?.headers ?? {})) {
      if (isHeaderName(name) && isHeaderText(value)) continue;
      const path = childPath('status.details[0].headers', name);
      yield { path, value, message: 'is not a header', remedy: 'use for example location: https://www.example.com/' };
    }
  },
  idle: ({ validDuration, validUseCount }) =>
    reuseFields({ validDuration: [validDuration, '5s'], validUseCount: [validUseCount, 1000] }),
};
