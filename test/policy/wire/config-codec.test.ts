import test from 'ava';
import type { HttpClientConfig, ServiceConfig, TcpClientConfig } from '../../../src/config/policy/client-config.js';
import { createMessageEncoder } from '../../../src/envoy/message-encoder.js';
import type { AttributeLayer } from '../../../src/policy/client/attribute-bag.js';
import type { AttributeValue } from '../../../src/policy/client/attribute-value.js';
import { createConfigDecoder, MAX_TEXT_LENGTH } from '../../../src/policy/wire/config-decoder.js';
import { createConfigEncoder } from '../../../src/policy/wire/config-encoder.js';
import { loadPolicyProtos } from '../../../src/policy/wire/policy-protos.js';
import { PolicyWireError } from '../../../src/policy/wire/policy-wire-error.js';
import fc from '../../support/property-testing.js';
import { anyLayer } from './arbitrary-attributes.js';
import { anyAttributes, anyHttpClientConfig, anyServiceConfig, anyTcpClientConfig } from './arbitrary-configs.js';

const registry = loadPolicyProtos();
const encoder = createConfigEncoder(createMessageEncoder(registry));
const decoder = createConfigDecoder(registry);
const NO_SPECS: ServiceConfig = { disableCheckCalls: false, disableReportCalls: false, httpApiSpec: [], quotaSpec: [] };

/** Without the order, which attributes do not have on the wire. */
function unordered(layer: AttributeLayer | undefined): unknown {
  return layer && Object.fromEntries([...layer].map(([name, value]) => [name, plain(value)]));
}

function plain({ type, value }: AttributeValue): unknown {
  return { type, value: value instanceof Map ? Object.fromEntries(value) : value };
}

test('any attributes come back as they were: names, types, 64 bits, nanoseconds', (t) => {
  fc.assert(
    fc.property(anyLayer, (layer) => {
      t.deepEqual(unordered(decoder.attributes(encoder.attributes(layer))), unordered(layer));
    }),
  );
});

test('any service configuration comes back as it was', (t) => {
  fc.assert(
    fc.property(anyServiceConfig, (config) => {
      t.deepEqual(decoder.serviceConfig(encoder.serviceConfig(config)), config);
    }),
  );
});

test('any HTTP client configuration comes back as it was', (t) => {
  fc.assert(
    fc.property(anyHttpClientConfig, (config) => {
      t.deepEqual(decoder.httpClientConfig(encoder.httpClientConfig(config)), config);
    }),
    { numRuns: 50 },
  );
});

test('any TCP client configuration comes back as it was', (t) => {
  fc.assert(
    fc.property(anyTcpClientConfig, (config) => {
      t.deepEqual(decoder.tcpClientConfig(encoder.tcpClientConfig(config)), config);
    }),
  );
});

test('an empty message has the defaults of the schema', (t) => {
  const nothing = new Uint8Array();
  t.deepEqual(decoder.serviceConfig(nothing), {
    disableCheckCalls: false,
    disableReportCalls: false,
    httpApiSpec: [],
    quotaSpec: [],
  } satisfies ServiceConfig);
  t.deepEqual(decoder.httpClientConfig(nothing), {
    serviceConfigs: {},
    ignoreForwardedAttributes: false,
  } satisfies HttpClientConfig);
  t.deepEqual(decoder.tcpClientConfig(nothing), {
    disableCheckCalls: false,
    disableReportCalls: false,
    reportInterval: '10s',
  } satisfies TcpClientConfig);
});

test('an empty transport has the defaults of TransportConfig and NetworkFailPolicy', (t) => {
  // Field 1, a message of no bytes.
  t.deepEqual(decoder.httpClientConfig(Uint8Array.of(0x0a, 0)).transport, {
    disableCheckCache: false,
    disableQuotaCache: false,
    disableReportBatch: false,
    networkFailPolicy: { policy: 'FAIL_OPEN', maxRetry: 0, baseRetryWait: '80ms', maxRetryWait: '1s' },
    statsUpdateInterval: '10s',
    checkCluster: 'policy_server',
    reportCluster: 'policy_server',
    reportBatchMaxEntries: 0,
    reportBatchMaxTime: '0s',
  });
});

test('durations of configuration are exact to the nanosecond and may be written in any unit', (t) => {
  const config = decoder.tcpClientConfig(
    encoder.tcpClientConfig({ disableCheckCalls: false, disableReportCalls: false, reportInterval: '1h0.000000001s' }),
  );
  t.is(config.reportInterval, '3600.000000001s');
});

const MALFORMED = [
  ['an unknown fail policy', { transport: { networkFailPolicy: { policy: 7 } } }, /networkFailPolicy\.policy is 7/],
  [
    'a wait below zero',
    { transport: { networkFailPolicy: { maxRetryWait: { seconds: -1 } } } },
    /maxRetryWait is -1s: write 0s or more/,
  ],
  [
    'a time in no year that can be written',
    { mixerAttributes: { attributes: { when: { timestampValue: { seconds: 1e13 } } } } },
    /mixerAttributes\.attributes\["when"\]\.timestampValue\.seconds is 10000000000000/,
  ],
  [
    'a time like that in the configuration of a service',
    { serviceConfigs: { web: { forwardAttributes: { attributes: { a: { timestampValue: { seconds: -1e13 } } } } } } },
    /serviceConfigs\["web"\]\.forwardAttributes\.attributes\["a"\]/,
  ],
] as const;

for (const [title, message, expected] of MALFORMED) {
  test(`refused with its field: ${title}`, (t) => {
    const type = registry.type('mesh.policy.v1.HttpClientConfig');
    const bytes = type.encode(type.fromObject(message)).finish();
    const error = t.throws(() => decoder.httpClientConfig(bytes), { instanceOf: PolicyWireError });
    t.regex(error?.message ?? '', expected);
  });
}

test('a rule that says nothing of its charge charges 1', (t) => {
  const type = registry.type('mesh.policy.v1.ServiceConfig');
  const bytes = type.encode(type.fromObject({ quotaSpec: [{ rules: [{ quotas: [{ quota: 'q' }] }] }] })).finish();
  t.deepEqual(decoder.serviceConfig(bytes).quotaSpec, [
    { rules: [{ match: [], quotas: [{ quota: 'q', charge: 1 }] }] },
  ]);
});

test('an attribute without a value is none', (t) => {
  const type = registry.type('mesh.policy.v1.Attributes');
  const bytes = type.encode(type.fromObject({ attributes: { a: {}, b: { stringValue: 'x' } } })).finish();
  t.deepEqual([...decoder.attributes(bytes).keys()], ['b']);
});

test('the header text of any attributes is read back, in both alphabets of base64 and without padding', (t) => {
  fc.assert(
    fc.property(anyLayer, (layer) => {
      const text = encoder.attributesText(layer);
      t.deepEqual(unordered(decoder.readAttributesText(text)), unordered(layer));
      const url = Buffer.from(text, 'base64').toString('base64url');
      t.deepEqual(unordered(decoder.readAttributesText(url)), unordered(layer));
    }),
  );
});

test('attributes as they are written have the same text as those that are made of them', (t) => {
  fc.assert(
    fc.property(anyAttributes, (spec) => {
      const layer = decoder.readAttributesText(encoder.attributesSpecText(spec));
      t.is(layer && encoder.attributesText(layer), encoder.attributesSpecText(spec));
    }),
  );
});

test('the items of a list with commas add up, and later ones win', (t) => {
  const first = encoder.attributesSpecText({ attributes: { a: { stringValue: '1' }, b: { stringValue: '2' } } });
  const second = encoder.attributesSpecText({ attributes: { b: { boolValue: true }, c: { int64Value: 3 } } });
  t.deepEqual(
    decoder.readAttributesText(`${first}, ${second}`),
    new Map([
      ['a', { type: 'string', value: '1' }],
      ['b', { type: 'bool', value: true }],
      ['c', { type: 'int64', value: 3n }],
    ]),
  );
});

test('an empty text says nothing', (t) => {
  t.deepEqual(decoder.readAttributesText(''), new Map());
  t.deepEqual(decoder.readAttributesText(' , '), new Map());
});

test('a text that is not base64, not a message or too long is no attributes', (t) => {
  const good = encoder.attributesSpecText({ attributes: { a: { stringValue: '1' } } });
  for (const text of ['%%%', `${good}, %`, 'gA', `${good}\u0000`, Buffer.from([0x0a, 0xff]).toString('base64')]) {
    t.is(decoder.readAttributesText(text), undefined, text);
    t.is(decoder.readHttpClientConfigText(text), undefined, text);
    t.is(decoder.readTcpClientConfigText(text), undefined, text);
  }
  t.is(decoder.readAttributesText(`${good}${','.repeat(MAX_TEXT_LENGTH)}`), undefined);
  const long = {
    serviceConfigs: {},
    defaultDestinationService: 'x'.repeat(MAX_TEXT_LENGTH),
    ignoreForwardedAttributes: true,
  };
  t.is(decoder.readHttpClientConfigText(encoder.httpClientConfigText(long)), undefined);
});

test('the longest text that is looked at is read, with as many items as it has', (t) => {
  const item = encoder.attributesSpecText({ attributes: { a: { boolValue: true } } });
  const list = Array.from({ length: Math.floor(MAX_TEXT_LENGTH / (item.length + 1)) }, () => item).join(',');
  t.deepEqual([...(decoder.readAttributesText(list)?.keys() ?? [])], ['a']);
  t.deepEqual(decoder.readAttributesText(','.repeat(MAX_TEXT_LENGTH)), new Map());
});

test('hostile texts never throw and change no prototype', (t) => {
  const bytes = fc.uint8Array({ maxLength: 200 });
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.base64String(),
    bytes.map((item) => Buffer.from(item).toString('base64')),
  );
  fc.assert(
    fc.property(text, (hostile) => {
      t.notThrows(() => decoder.readAttributesText(hostile));
      t.notThrows(() => decoder.readHttpClientConfigText(hostile));
      t.notThrows(() => decoder.readTcpClientConfigText(hostile));
    }),
    { numRuns: 1000 },
  );
  t.deepEqual(Object.keys(Object.prototype), []);
});

test('a name like __proto__ is a name like any other', (t) => {
  const layer = new Map([
    ['__proto__', { type: 'stringMap', value: new Map([['__proto__', 'x']]) }],
    ['constructor', { type: 'string', value: 'y' }],
  ] as const);
  t.deepEqual(decoder.readAttributesText(encoder.attributesText(layer)), layer);
  t.is((Object.prototype as { stringValue?: unknown }).stringValue, undefined);
  const config: HttpClientConfig = {
    serviceConfigs: JSON.parse(
      '{"__proto__": {"disableCheckCalls": true, "disableReportCalls": false, "httpApiSpec": [], "quotaSpec": []}}',
    ),
    ignoreForwardedAttributes: false,
  };
  const { serviceConfigs } = decoder.httpClientConfig(encoder.httpClientConfig(config));
  t.deepEqual(Object.keys(serviceConfigs), ['__proto__']);
});

test('the metadata text has everything of the client but what services say', (t) => {
  fc.assert(
    fc.property(anyHttpClientConfig, (config) => {
      const read = decoder.readHttpClientConfigText(encoder.httpClientConfigText(config));
      t.deepEqual(read, { ...config, serviceConfigs: {} });
    }),
    { numRuns: 50 },
  );
  fc.assert(
    fc.property(anyTcpClientConfig, ({ connectionQuotaSpec, ...config }) => {
      const text = encoder.tcpClientConfigText({ ...config, ...(connectionQuotaSpec && { connectionQuotaSpec }) });
      t.deepEqual(decoder.readTcpClientConfigText(text), config);
    }),
  );
});

test('quotas without a name or with a charge of 0 are left out, for a message would charge 1 for them', (t) => {
  const rule = { match: [], quotas: [{ charge: 2 }, { quota: 'zero', charge: 0 }, { quota: 'q', charge: 3 }] };
  const encoded = encoder.serviceConfig({ ...NO_SPECS, quotaSpec: [{ rules: [rule] }, { rules: [] }] });
  t.deepEqual(decoder.serviceConfig(encoded).quotaSpec, [
    { rules: [{ match: [], quotas: [{ quota: 'q', charge: 3 }] }] },
    { rules: [] },
  ]);
});

test('a pattern without a method comes back without one', (t) => {
  const httpApiSpec = [{ patterns: [{ uriTemplate: '/a' }], apiKeys: [] }];
  t.deepEqual(decoder.serviceConfig(encoder.serviceConfig({ ...NO_SPECS, httpApiSpec })).httpApiSpec, httpApiSpec);
});

test('a duration that a message can say and configuration cannot is refused, in attributes and in settings', (t) => {
  const years = { seconds: 240_710_761_158, nanos: 860_216_648 };
  const encode = (message: object): Buffer => {
    const type = registry.type('mesh.policy.v1.TcpClientConfig');
    return Buffer.from(type.encode(type.fromObject(message)).finish());
  };
  const attributes = encode({ mixerAttributes: { attributes: { age: { durationValue: years } } } });
  const problem = 'is 240710761158.860216648s: write at most 9223372036.854775807s';
  t.throws(() => decoder.tcpClientConfig(attributes), {
    instanceOf: PolicyWireError,
    message: `mixerAttributes.attributes["age"].durationValue ${problem}`,
  });
  const interval = encode({ reportInterval: years });
  t.throws(() => decoder.tcpClientConfig(interval), {
    instanceOf: PolicyWireError,
    message: `reportInterval ${problem}`,
  });
});
