import type { AttributesSpec, AttributeValueSpec } from '../../../src/config/policy/attributes.js';
import type { HttpClientConfig, ServiceConfig, TcpClientConfig } from '../../../src/config/policy/client-config.js';
import type { HttpApiSpec, HttpApiSpecPattern } from '../../../src/config/policy/http-api-spec.js';
import type { QuotaSpec } from '../../../src/config/policy/quota-spec.js';
import type { NetworkFailPolicy, TransportConfig } from '../../../src/config/policy/transport-config.js';
import fc from '../../support/property-testing.js';

/** Configuration in the form that decoding gives: durations in seconds, numbers without quotes where they fit. */

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
const name = fc.oneof(text, fc.constantFrom('source.uid', '__proto__', 'constructor', 'toString'));

function mapOf<Value>(value: fc.Arbitrary<Value>, maxLength = 4): fc.Arbitrary<Record<string, Value>> {
  // Object.fromEntries makes own properties of every name, also of __proto__.
  return fc.array(fc.tuple(name, value), { maxLength }).map((entries) => Object.fromEntries(entries));
}

/** As it is decoded: with as many digits as it takes. */
const duration = fc
  .tuple(fc.integer({ min: 0, max: 86_400 }), fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 999_999_999 })))
  .map(([seconds, nanos]) => {
    const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
    return `${seconds}${fraction}s`;
  });

const timestamp = fc
  .tuple(fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }), fc.integer({ min: 0, max: 999_999_999 }))
  .map(([seconds, nanos]) => {
    const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
    return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${fraction}Z`;
  });

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
});

const value: fc.Arbitrary<AttributeValueSpec> = fc.oneof(
  text.map((stringValue) => ({ stringValue })),
  fc.oneof(int64, fc.integer()).map((int64Value) => ({ int64Value })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((doubleValue) => ({ doubleValue })),
  fc.boolean().map((boolValue) => ({ boolValue })),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => ({ bytesValue: Buffer.from(bytes).toString('base64') })),
  timestamp.map((timestampValue) => ({ timestampValue })),
  duration.map((durationValue) => ({ durationValue })),
  mapOf(text).map((entries) => ({ stringMapValue: { entries } })),
);

export const anyAttributes: fc.Arbitrary<AttributesSpec> = mapOf(value).map((attributes) => ({ attributes }));

/** Some members of a record, each there or not. */
function optional<T extends object>(members: { [Key in keyof T]: fc.Arbitrary<T[Key]> }): fc.Arbitrary<Partial<T>> {
  return fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;
}

const stringMatch = fc.oneof(
  text.map((exact) => ({ exact })),
  text.map((prefix) => ({ prefix })),
  text.map((regex) => ({ regex })),
);

const quotaRules: fc.Arbitrary<QuotaSpec['rules']> = fc.array(
  fc.record({
    match: fc.array(fc.record({ clause: mapOf(stringMatch) }), { maxLength: 3 }),
    quotas: fc.array(fc.record({ quota: text, charge: fc.integer({ min: 1, max: 2_147_483_647 }) }), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
  { minLength: 1, maxLength: 3 },
);

const refund = fc.record({ responseCodes: fc.array(fc.constantFrom('503', '5xx'), { minLength: 1, maxLength: 2 }) });

const anyQuotaSpec: fc.Arbitrary<QuotaSpec> = fc
  .tuple(
    quotaRules,
    optional<Omit<QuotaSpec, 'rules'>>({
      enforcement: fc.constant('fast'),
      rateLimitHeaders: fc.constant(true),
      refund,
      dryRun: fc.constant(true),
    }),
  )
  .map(([rules, members]) => ({ rules, ...members }));

const pattern: fc.Arbitrary<HttpApiSpecPattern> = fc
  .tuple(
    fc.record({ httpMethod: text }),
    optional({ attributes: anyAttributes }),
    fc.oneof(
      text.map((uriTemplate) => ({ uriTemplate })),
      text.map((regex) => ({ regex })),
    ),
  )
  .map(([method, attributes, where]) => ({ ...method, ...attributes, ...where }));

const anyHttpApiSpec: fc.Arbitrary<HttpApiSpec> = fc
  .tuple(
    optional({ attributes: anyAttributes }),
    fc.record({
      patterns: fc.array(pattern, { minLength: 1, maxLength: 3 }),
      apiKeys: fc.array(
        fc.oneof(
          text.map((query) => ({ query })),
          text.map((header) => ({ header })),
        ),
        { maxLength: 3 },
      ),
    }),
  )
  .map(([attributes, spec]) => ({ ...attributes, ...spec }));

const uint32 = fc.integer({ min: 0, max: 4_294_967_295 });

const failPolicy: fc.Arbitrary<NetworkFailPolicy> = fc.record({
  policy: fc.constantFrom('FAIL_OPEN', 'FAIL_CLOSE'),
  maxRetry: uint32,
  baseRetryWait: duration,
  maxRetryWait: duration,
});

const transport: fc.Arbitrary<TransportConfig> = fc
  .tuple(
    fc.record({
      disableCheckCache: fc.boolean(),
      disableQuotaCache: fc.boolean(),
      disableReportBatch: fc.boolean(),
      networkFailPolicy: failPolicy,
      statsUpdateInterval: duration,
      checkCluster: text,
      reportCluster: text,
      reportBatchMaxEntries: uint32,
      reportBatchMaxTime: duration,
    }),
    optional({ attributesForMixerProxy: anyAttributes }),
  )
  .map(([fields, attributes]) => ({ ...fields, ...attributes }));

export const anyServiceConfig: fc.Arbitrary<ServiceConfig> = fc
  .tuple(
    fc.record({
      disableCheckCalls: fc.boolean(),
      disableReportCalls: fc.boolean(),
      httpApiSpec: fc.array(anyHttpApiSpec, { maxLength: 2 }),
      quotaSpec: fc.array(anyQuotaSpec, { maxLength: 2 }),
    }),
    optional({ mixerAttributes: anyAttributes, forwardAttributes: anyAttributes, networkFailPolicy: failPolicy }),
  )
  .map(([fields, members]) => ({ ...fields, ...members }));

export const anyHttpClientConfig: fc.Arbitrary<HttpClientConfig> = fc
  .tuple(
    fc.record({ serviceConfigs: mapOf(anyServiceConfig, 2), ignoreForwardedAttributes: fc.boolean() }),
    optional({
      transport,
      defaultDestinationService: text,
      mixerAttributes: anyAttributes,
      forwardAttributes: anyAttributes,
      countsFastQuotas: fc.constant(true),
    }),
  )
  .map(([fields, members]) => ({ ...fields, ...members }));

export const anyTcpClientConfig: fc.Arbitrary<TcpClientConfig> = fc
  .tuple(
    fc.record({ disableCheckCalls: fc.boolean(), disableReportCalls: fc.boolean(), reportInterval: duration }),
    optional({ transport, mixerAttributes: anyAttributes, connectionQuotaSpec: anyQuotaSpec }),
  )
  .map(([fields, members]) => ({ ...fields, ...members }));
