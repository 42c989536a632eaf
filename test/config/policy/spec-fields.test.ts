import test from 'ava';
import type { TSchema } from 'typebox';
import { attributesSchema, attributeValueSchema } from '../../../src/config/policy/attributes.js';
import { httpApiSpecBindingSchema, quotaSpecBindingSchema } from '../../../src/config/policy/bindings.js';
import {
  httpClientConfigSchema,
  serviceConfigSchema,
  tcpClientConfigSchema,
} from '../../../src/config/policy/client-config.js';
import { apiKeySchema, httpApiSpecPatternSchema, httpApiSpecSchema } from '../../../src/config/policy/http-api-spec.js';
import { meshServiceSchema } from '../../../src/config/policy/mesh-service.js';
import { attributeMatchSchema, quotaRuleSchema, quotaSpecSchema } from '../../../src/config/policy/quota-spec.js';
import { stringMatchSchema } from '../../../src/config/policy/string-match.js';
import { networkFailPolicySchema, transportConfigSchema } from '../../../src/config/policy/transport-config.js';
import { createTestSchemaCompiler } from '../../support/schema-compiler.js';
import { SPEC_TABLES, type SpecTable } from './support/spec-tables.js';

const SCHEMAS: Readonly<Record<SpecTable['structure'], TSchema & { readonly properties: object }>> = {
  MeshService: meshServiceSchema,
  QuotaSpec: quotaSpecSchema,
  QuotaRule: quotaRuleSchema,
  StringMatch: stringMatchSchema,
  AttributeMatch: attributeMatchSchema,
  Quota: quotaRuleSchema.properties.quotas.items,
  QuotaSpecBinding: quotaSpecBindingSchema,
  QuotaSpecReference: quotaSpecBindingSchema.properties.quotaSpecs.items,
  HTTPAPISpec: httpApiSpecSchema,
  HTTPAPISpecPattern: httpApiSpecPatternSchema,
  APIKey: apiKeySchema,
  HTTPAPISpecReference: httpApiSpecBindingSchema.properties.apiSpecs.items,
  HTTPAPISpecBinding: httpApiSpecBindingSchema,
  Attributes: attributesSchema,
  AttributeValue: attributeValueSchema,
  NetworkFailPolicy: networkFailPolicySchema,
  ServiceConfig: serviceConfigSchema,
  TransportConfig: transportConfigSchema,
  HttpClientConfig: httpClientConfigSchema,
  TcpClientConfig: tcpClientConfigSchema,
};

/** One value of every YAML type. Each field accepts one or two of them. */
const VALUES: Readonly<Record<string, unknown>> = {
  'a text': 'text',
  'a whole number': 7,
  'a fraction': 1.5,
  'true or false': true,
  'a list': ['text'],
  'a mapping': { field: 'text' },
};

/** The values above that each type accepts. It refuses the others. */
const TAKES: Readonly<Record<string, readonly string[]>> = {
  string: ['a text'],
  Duration: ['a text'],
  bytes: ['a text'],
  timestamp: ['a text'],
  FailPolicy: ['a text'],
  Enforcement: ['a text'],
  int32: ['a whole number'],
  uint32: ['a whole number'],
  // A text too, because JSON numbers lose digits above 2^53.
  int64: ['a whole number', 'a text'],
  double: ['a whole number', 'a fraction'],
  bool: ['true or false'],
};

function takenBy(type: string): readonly string[] {
  return type.endsWith('[]') ? ['a list'] : (TAKES[type] ?? ['a mapping']);
}

const compiler = createTestSchemaCompiler();

for (const { structure, fields, base = {} } of SPEC_TABLES) {
  const reader = compiler.compile(SCHEMAS[structure], 'reported');
  const read = (fieldsGiven: object) => {
    const result = reader.read(fieldsGiven);
    const unknown = result.unknownFields.map(({ path, message }) => `${path} ${message}`);
    if (result.type === 'valid') return { value: result.value as Readonly<Record<string, unknown>>, problems: unknown };
    return { value: {}, problems: [...unknown, ...result.violations.map(({ path, message }) => `${path} ${message}`)] };
  };

  test(`${structure} has the fields of its table and no others`, (t) => {
    t.deepEqual(Object.keys(SCHEMAS[structure].properties).sort(), Object.keys(fields).sort());
  });

  test(`${structure} refuses a field that it does not have, and names it`, (t) => {
    t.deepEqual(read({ ...base, surplus: 1 }).problems, ['surplus is not a known field']);
    t.deepEqual(read({ ...base, constructor: 1 }).problems, ['constructor is not a known field']);
  });

  for (const [field, { type, presence, example, excludes = [] }] of Object.entries(fields)) {
    const others = Object.fromEntries(
      Object.entries(base).filter(
        ([name]) =>
          name !== field && !excludes.includes(name) && !(presence === 'one-of' && fields[name]?.presence === 'one-of'),
      ),
    );
    const given = { ...others, [field]: example };

    test(`${structure}.${field} is read as ${type}`, (t) => {
      const { value, problems } = read(given);
      t.deepEqual(problems, []);
      t.deepEqual(value[field], example);
    });

    test(`${structure}.${field} is ${type} and refuses values of other types`, (t) => {
      for (const [what, value] of Object.entries(VALUES)) {
        if (takenBy(type).includes(what)) continue;
        const { problems } = read({ ...given, [field]: value });
        t.true(problems.length > 0 && problems.every((each) => each.startsWith(field)), `${what}: ${problems}`);
      }
    });

    if (presence === 'required') {
      test(`${structure}.${field} is required`, (t) => {
        t.deepEqual(read(others).problems, [`${field} is missing`]);
      });
    } else if (presence === 'optional') {
      test(`${structure}.${field} may be left out`, (t) => {
        const { value, problems } = read(others);
        t.deepEqual(problems, []);
        t.false(field in value);
      });
    } else if (presence === 'one-of') {
      const [other] = Object.entries(fields).filter(([name, each]) => name !== field && each.presence === 'one-of');
      test(`${structure}.${field} is a member of a one-of: not together with another`, (t) => {
        const { problems } = read({ ...given, [other?.[0] ?? '']: other?.[1].example });
        t.true(
          problems.some((problem) => /^ sets .* together$/.test(problem)),
          problems.join('; '),
        );
      });
    } else {
      test(`${structure}.${field} is ${JSON.stringify(presence.fallback)} unless given`, (t) => {
        const { value, problems } = read(others);
        t.deepEqual(problems, []);
        t.deepEqual(value[field], presence.fallback);
      });
    }
  }

  const oneOf = Object.entries(fields).filter(([, { presence }]) => presence === 'one-of');
  if (oneOf.length > 0) {
    test(`${structure} sets exactly one of ${oneOf.map(([name]) => name).join(', ')}, not none`, (t) => {
      const without = Object.entries(base).filter(([name]) => fields[name]?.presence !== 'one-of');
      t.deepEqual(read(Object.fromEntries(without)).problems, [
        ` sets none of ${oneOf.map(([name]) => name).join(', ')}`,
      ]);
    });
  }
}
