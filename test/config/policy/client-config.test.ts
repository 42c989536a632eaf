import test from 'ava';
import {
  httpClientConfigSchema,
  serviceConfigSchema,
  tcpClientConfigSchema,
} from '../../../src/config/policy/client-config.js';
import {
  validateHttpClientConfig,
  validateServiceConfig,
  validateTcpClientConfig,
} from '../../../src/config/policy/client-config-rules.js';
import { formatFinding, type Violation } from '../../../src/config/violation.js';
import { createTestSchemaCompiler } from '../../support/schema-compiler.js';

const compiler = createTestSchemaCompiler();
const http = compiler.compile(httpClientConfigSchema, 'reported');
const tcp = compiler.compile(tcpClientConfigSchema, 'reported');
const service = compiler.compile(serviceConfigSchema, 'reported');

type Result<Value> =
  | { readonly type: 'valid'; readonly value: Value; readonly unknownFields: readonly Violation[] }
  | {
      readonly type: 'invalid';
      readonly violations: readonly Violation[];
      readonly unknownFields: readonly Violation[];
    };

function findings<Value>(result: Result<Value>, validate: (value: Value) => readonly Violation[]): readonly string[] {
  const violations = result.type === 'valid' ? validate(result.value) : result.violations;
  return [...result.unknownFields, ...violations].map(formatFinding);
}

const TRANSPORT_DEFAULTS = {
  disableCheckCache: false,
  disableQuotaCache: false,
  disableReportBatch: false,
  networkFailPolicy: { policy: 'FAIL_OPEN', maxRetry: 0, baseRetryWait: '80ms', maxRetryWait: '1s' },
  statsUpdateInterval: '10s',
  checkCluster: 'policy_server',
  reportCluster: 'policy_server',
  reportBatchMaxEntries: 0,
  reportBatchMaxTime: '0s',
};

test('an empty transport of an HttpClientConfig has the defaults of TransportConfig', (t) => {
  const result = http.read({ transport: {} });
  t.deepEqual(findings(result, validateHttpClientConfig), []);
  t.like(result, { value: { transport: TRANSPORT_DEFAULTS, serviceConfigs: {}, ignoreForwardedAttributes: false } });
});

test('a TcpClientConfig reports every 10 s by default', (t) => {
  const result = tcp.read({});
  t.deepEqual(findings(result, validateTcpClientConfig), []);
  t.like(result, { value: { disableCheckCalls: false, disableReportCalls: false, reportInterval: '10s' } });
});

test('networkFailPolicy: a service has none by default, and the fail policy of the mesh applies', (t) => {
  t.deepEqual(service.read({}), {
    type: 'valid',
    value: { disableCheckCalls: false, disableReportCalls: false, httpApiSpec: [], quotaSpec: [] },
    unknownFields: [],
  });
});

test('reportInterval: a value below 1 s is valid, and counts as 1 s', (t) => {
  t.deepEqual(findings(tcp.read({ reportInterval: '10ms' }), validateTcpClientConfig), []);
});

test('every part of an HttpClientConfig is checked, and violations have its path', (t) => {
  const config = {
    transport: { networkFailPolicy: { baseRetryWait: '0s' }, statsUpdateInterval: '1us', reportBatchMaxTime: '1us' },
    forwardAttributes: { attributes: { '': { stringValue: 'a' } } },
    serviceConfigs: {
      'web.shop': {
        networkFailPolicy: { maxRetryWait: '0s' },
        quotaSpec: [{ rules: [{ match: [{ clause: { a: { regex: '(' } } }], quotas: [{ quota: 'q' }] }] }],
        httpApiSpec: [{ patterns: [{ httpMethod: 'GET', uriTemplate: '/a b' }] }],
      },
    },
  };
  t.deepEqual(
    findings(http.read(config), validateHttpClientConfig).map((each) => each.split(': ')[0]),
    [
      'transport.networkFailPolicy.baseRetryWait',
      'transport.statsUpdateInterval',
      'transport.reportBatchMaxTime',
      'forwardAttributes.attributes[""]',
      'serviceConfigs["web.shop"].networkFailPolicy.maxRetryWait',
      'serviceConfigs["web.shop"].httpApiSpec[0].patterns[0].uriTemplate',
      'serviceConfigs["web.shop"].quotaSpec[0].rules[0].match[0].clause.a.regex',
    ],
  );
});

test('every part of a TcpClientConfig is checked, and violations have its path', (t) => {
  const config = {
    mixerAttributes: { attributes: { a: { durationValue: '0s' } } },
    reportInterval: '1us',
    connectionQuotaSpec: { rules: [{ match: [{ clause: { '': { exact: 'a' } } }], quotas: [{ quota: 'q' }] }] },
  };
  t.deepEqual(
    findings(tcp.read(config), validateTcpClientConfig).map((each) => each.split(': ')[0]),
    [
      'mixerAttributes.attributes.a.durationValue',
      'reportInterval',
      'connectionQuotaSpec.rules[0].match[0].clause[""]',
    ],
  );
});

test('a separate ServiceConfig is checked like one in an HttpClientConfig', (t) => {
  const config = { mixerAttributes: { attributes: { a: { int64Value: '9999999999999999999' } } } };
  t.deepEqual(findings(service.read(config), validateServiceConfig), [
    'mixerAttributes.attributes.a.int64Value: "9999999999999999999": does not fit in 64 bits; use -9223372036854775808 to 9223372036854775807',
  ]);
});

const refused: readonly (readonly [string, unknown, string])[] = [
  [
    'a fail policy that is neither FAIL_OPEN nor FAIL_CLOSE',
    { transport: { networkFailPolicy: { policy: 'OPEN' } } },
    'transport.networkFailPolicy.policy: "OPEN": is not one of the allowed values; use FAIL_OPEN, FAIL_CLOSE',
  ],
  [
    'a negative number of retries',
    { transport: { networkFailPolicy: { maxRetry: -1 } } },
    'transport.networkFailPolicy.maxRetry: -1: is out of range; use 0 to 4294967295',
  ],
  [
    'a cluster without a name',
    { transport: { checkCluster: '' } },
    'transport.checkCluster: "": is empty; it is: Cluster that check calls go to',
  ],
  [
    'a negative batch',
    { transport: { reportBatchMaxEntries: -1 } },
    'transport.reportBatchMaxEntries: -1: is out of range; use 0 to 4294967295',
  ],
  [
    'an unknown field',
    { transport: { checkClusters: 'a' } },
    'transport.checkClusters: "a": is not a known field; did you mean checkCluster?',
  ],
];

for (const [what, config, expected] of refused) {
  test(`an HttpClientConfig is refused with ${what}`, (t) => {
    t.deepEqual(findings(http.read(config), validateHttpClientConfig), [expected]);
  });
}
