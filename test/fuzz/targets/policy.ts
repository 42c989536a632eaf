import fc from 'fast-check';
import { parseUriTemplate } from '../../../src/config/policy/uri-template.js';
import { checkRegex } from '../../../src/config/regex/check-regex.js';
import { readShapesText } from '../../../src/model/policy/fast/shapes-text.js';
import { HeadReader } from '../../../src/net/http1/head-reader.js';
import { RegexSet } from '../../../src/policy/client/regex-set.js';
import { PathTemplates } from '../../../src/policy/client/template-trie.js';
import { ANONYMOUS } from '../../../src/policy/server/callers/caller.js';
import { createServiceConfigReader } from '../../../src/policy/server/discovery/service-config-reader.js';
import { CHECK_HEADERS } from '../../../src/policy/wire/call-metadata.js';
import { createPolicyCodec } from '../../../src/policy/wire/policy-codec.js';
import { loadPolicyProtos } from '../../../src/policy/wire/policy-protos.js';
import { bucketIdOf, readBucketId } from '../../../src/policy/wire/quota-buckets.js';
import { decodeDiscoveryResponse } from '../../../src/xds-client/discovery-messages.js';
import { regexText, subjectText } from '../../config/regex/arbitrary-regex.js';
import { createSharesRig, limitOf } from '../../policy/quota/shares/simulated-proxies.js';
import {
  checkRequestBytes,
  createRig,
  httpCheck,
  httpConfigText,
  logMessageBytes,
  policyDecoder,
  policyEncoder,
  tcpConfigText,
} from '../../policy/server/policy-server-rig.js';
import { reportsBytes } from '../../policy/server/shares/share-messages.js';
import { anyLayer } from '../../policy/wire/arbitrary-attributes.js';
import { anyHttpClientConfig, anyServiceConfig, anyTcpClientConfig } from '../../policy/wire/arbitrary-configs.js';
import { mutated } from '../../support/arbitrary-octets.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.js';

const BOOKS = 'books.default.svc.cluster.local';
const rig = createRig({
  services: {
    [BOOKS]: {
      httpApiSpec: [
        {
          patterns: [
            { httpMethod: 'GET', uriTemplate: '/books/{id}{?q,lang}' },
            { httpMethod: '*', regex: '/(a|b|ab)*c' },
          ],
          apiKeys: [{ query: 'key' }, { header: 'x-key' }],
        },
      ],
      quotaSpec: [
        {
          rules: [
            { match: [{ clause: { 'request.path': { regex: '(.*a){10}' } } }], quotas: [{ quota: 'q', charge: 1 }] },
          ],
        },
      ],
    },
  },
});
const protos = loadPolicyProtos();
const codec = createPolicyCodec(protos);

/** A policy server with a fast quota. */
function createFastRig() {
  const clock = createFakeClock();
  const { shares } = createSharesRig([limitOf()], { clock });
  const quotaSpec = [
    { enforcement: 'fast' as const, rules: [{ match: [], quotas: [{ quota: 'requests', charge: 1 }] }] },
  ];
  return { rig: createRig({ clock, shares: () => shares, services: { [BOOKS]: { quotaSpec } } }) };
}

function encode(name: string, message: object): Buffer {
  const type = protos.type(`mesh.policy.v1.${name}`);
  return Buffer.from(type.encode(type.fromObject(message)).finish());
}

const ATTRIBUTES = {
  words: ['a', 'b'],
  strings: { [-1]: -2, 3: 4 },
  int64s: { 5: 7 },
  timestamps: { 6: { seconds: 1 } },
};
const check = encode('CheckRequest', {
  attributes: ATTRIBUTES,
  globalWordCount: 100,
  deduplicationId: 'x',
  quotas: { rate: { amount: 2 } },
});
const report = encode('ReportRequest', {
  defaultWords: ['a'],
  attributes: [ATTRIBUTES, ATTRIBUTES],
  globalWordCount: 9,
});
const envoyCheck = checkRequestBytes(
  httpCheck({ path: '/books/1?q=a', method: 'GET', host: 'books', headers: { 'x-key': 'k', 'x-mesh-attributes': '' } }),
);
const headText = [
  'GET /books/1?q=a HTTP/1.1',
  'host: books',
  'content-length: 0',
  'x-key: k',
  'x-mesh-attributes: ',
  `x-mesh-check-config: ${httpConfigText({})}`,
  `x-mesh-check-service: ${BOOKS}`,
  'x-mesh-check-id: 8a3ba5bc',
  'x-mesh-check-time: 1795528931.248313000',
  'x-mesh-check-address: 10.0.0.1',
  'x-mesh-check-source-uri: spiffe://cluster.local/ns/shop/sa/web',
  'x-mesh-check-tokens: {"a":{"iss":"i","sub":"s","aud":["b"]}}',
].join('\r\n');
const log = logMessageBytes({
  httpLogs: {
    logEntry: [
      {
        commonProperties: { upstreamCluster: 'outbound|80||books', startTime: { seconds: 1 } },
        request: { path: '/books/1', requestMethod: 1, requestHeaders: { a: 'b' } },
        response: { responseCode: { value: 200 } },
      },
    ],
  },
});
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('/', '%', '?', '&', '=', '#', '..', '%00', '%ff', ':', '*', 'a') }),
);
const bytesLike = (valid: Buffer) =>
  fc.oneof(
    { weight: 4, arbitrary: mutated(valid) },
    fc.uint8Array({ maxLength: 200 }).map((each) => Buffer.from(each)),
  );
const spoilt = (text: fc.Arbitrary<string>) =>
  fc.oneof(
    text,
    text.chain((valid) => (valid === '' ? fc.constant('') : mutated(Buffer.from(valid, 'base64')).map(base64))),
    fc.base64String(),
    anyText,
  );
const base64 = (octets: Buffer): string => octets.toString('base64');
const fast = createFastRig();
const fastReports = reportsBytes([
  {
    id: {
      ...bucketIdOf({ type: 'quotas', service: BOOKS, charges: new Map([['requests', 1]]) }),
      'request.api_key': 'k',
    },
    allowed: 7,
    denied: 300,
  },
  { id: bucketIdOf({ type: 'guard', service: BOOKS }), allowed: 1 },
]);
const readServiceConfig = createServiceConfigReader(policyDecoder);

export const policyTargets: readonly FuzzTarget[] = [
  fuzzTarget('envoy-check', {
    inputs: bytesLike(envoyCheck),
    refusals: ['EnvoyMessageError', 'CallConfigError'],
    run: (bytes) => rig.server.checks.check(Buffer.from(bytes), { service: BOOKS }),
  }),
  fuzzTarget('envoy-check-request', {
    inputs: fc.record({ path: anyText, method: anyText, host: anyText, headers: fc.dictionary(anyText, anyText) }),
    run: (http) => rig.server.checks.check(checkRequestBytes(httpCheck(http)), { service: BOOKS }),
  }),
  fuzzTarget('http-check', {
    inputs: fc.oneof(
      mutated(Buffer.from(headText)).map(String),
      fc
        .record({
          line: anyText,
          headers: fc.dictionary(fc.oneof(anyText, fc.constantFrom(...Object.values(CHECK_HEADERS))), anyText),
        })
        .map(({ line, headers }) => [line, ...Object.entries(headers).map((header) => header.join(':'))].join('\r\n')),
    ),
    refusals: ['CallConfigError', 'CheckHeadError'],
    run: (head) => rig.server.httpChecks.check(head, ANONYMOUS, ''),
  }),
  fuzzTarget('http-head', {
    inputs: fc.array(fc.oneof(mutated(Buffer.from(`${headText}\r\n\r\n`)), fc.uint8Array({ maxLength: 9 })), {
      maxLength: 9,
    }),
    run: (pieces) => {
      const reader = new HeadReader();
      for (const piece of pieces) reader.take(Buffer.from(piece));
    },
  }),
  fuzzTarget('envoy-check-metadata', {
    inputs: fc.record({
      service: anyText,
      connectionId: anyText,
      configText: spoilt(fc.oneof(anyHttpClientConfig.map(httpConfigText), anyTcpClientConfig.map(tcpConfigText))),
      isTcp: fc.boolean(),
    }),
    refusals: ['CallConfigError'],
    run: ({ isTcp, ...call }) =>
      rig.server.checks.check(isTcp ? checkRequestBytes({ attributes: {} }) : envoyCheck, call),
  }),
  fuzzTarget('access-log', {
    inputs: bytesLike(log),
    run: (bytes) => rig.server.openLogStream().take(Buffer.from(bytes)),
  }),
  fuzzTarget('fast-quota-reports', {
    inputs: bytesLike(fastReports),
    refusals: ['EnvoyMessageError'],
    run: async (bytes) => {
      const stream = fast.rig.server.openShareStream({ type: 'anonymous' }, () => true);
      try {
        await stream.take(Buffer.from(bytes));
      } finally {
        stream.close();
      }
    },
  }),
  fuzzTarget('fast-quota-bucket', {
    inputs: fc.oneof(
      fc.dictionary(fc.oneof(fc.constantFrom('service', 'charges', 'guard'), anyText), anyText),
      fc.record({ service: anyText, charges: fc.oneof(fc.json(), anyText) }),
    ),
    run: (id) => readBucketId(id),
  }),
  fuzzTarget('quota-shapes', {
    inputs: fc.oneof(fc.json(), anyText),
    run: (text) => readShapesText(text),
  }),
  fuzzTarget('policy-check', {
    inputs: bytesLike(check),
    refusals: ['PolicyWireError'],
    run: (bytes) => codec.decodeCheckRequest(Buffer.from(bytes)),
  }),
  fuzzTarget('policy-report', {
    inputs: bytesLike(report),
    refusals: ['PolicyWireError'],
    run: (bytes) => codec.decodeReportRequest(Buffer.from(bytes)),
  }),
  fuzzTarget('forwarded-attributes', {
    inputs: spoilt(anyLayer.map((layer) => policyEncoder.attributesText(layer))),
    run: (text) => policyDecoder.readAttributesText(text),
  }),
  fuzzTarget('service-config', {
    inputs: fc.oneof(
      anyServiceConfig.map((config) => Buffer.from(policyEncoder.serviceConfig(config))),
      anyServiceConfig.chain((config) => {
        const bytes = Buffer.from(policyEncoder.serviceConfig(config));
        return bytes.length === 0 ? fc.constant(bytes) : mutated(bytes);
      }),
    ),
    // With the reason for the NACK.
    refusals: ['Error', 'PolicyWireError'],
    run: (bytes) => readServiceConfig(Buffer.from(bytes)),
  }),
  fuzzTarget('discovery-response', {
    inputs: fc.uint8Array({ maxLength: 200 }),
    // Of the protobuf library: the stream ends and is opened again.
    refusals: ['Error', 'RangeError'],
    run: (bytes) => decodeDiscoveryResponse(Buffer.from(bytes)),
  }),
  fuzzTarget('regex', {
    inputs: fc.record({ regex: fc.oneof(regexText, anyText), subjects: fc.array(subjectText, { maxLength: 3 }) }),
    run: ({ regex, subjects }) => {
      if (checkRegex(regex).type === 'error') return;
      const set = new RegexSet([regex, 'other']);
      for (const subject of subjects) set.match(subject);
    },
  }),
  fuzzTarget('uri-template', {
    inputs: fc.record({
      template: fc.oneof(
        fc.string(),
        fc
          .array(
            fc.constantFrom('/', '{', '}', '*', '**', ':', '?', '=', ',', 'a', '1', '{a}', '{?q}', '%20', 'ä', ' '),
            {
              maxLength: 30,
            },
          )
          .map((parts) => `/${parts.join('')}`),
      ),
      paths: fc.array(anyText, { maxLength: 3 }),
    }),
    run: ({ template, paths }) => {
      const parsed = parseUriTemplate(template);
      if (parsed.type === 'error') return;
      const templates = new PathTemplates<number>();
      templates.add(parsed.template, 'GET', 1);
      for (const path of paths) templates.find('GET', path);
    },
  }),
];
