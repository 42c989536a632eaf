import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import type { AnalyzeSettings } from '../../../src/analyze/analyze-inputs.js';
import { keyOf } from '../../../src/config/object.js';
import type { KeySourceProblem } from '../../../src/model/security/key-sets.js';
import { createCandidateAnalysis } from '../../../src/status/analysis/candidate/analyze-candidate.js';
import { MESSAGE_CODES } from '../../../src/status/analysis/message-codes.js';
import { analyzeTexts, readTexts } from '../../analyze/support.js';
import { contextOf } from '../../model/mesh-objects.js';
import { ENFORCEMENT } from './support.js';

const folder = new URL('../../../../docs/analysis-examples/', import.meta.url);
const FILES = readdirSync(folder).sort();
/** Their causes are not in objects: a failing analyzer, and clusters that the mesh networks name. */
const WITHOUT_EXAMPLE = ['MESH0001', 'MESH0126'];

/** The text of an example that causes its message, and the text that resolves it. */
const REMEDIES: Readonly<Record<string, readonly [wrong: string, right: string]>> = {
  MESH0002: ['percent: 10', 'percentage: { value: 10 }'],
  MESH0101: ['host: review #', 'host: reviews #'],
  MESH0102: ['{ name: shop }', '{ name: shop, labels: { mesh-injection: disabled } }'],
  MESH0103: ['{ app: reviews }', '{ app: reviews }, annotations: { sidecar.mesh.internal/inject: "false" }'],
  MESH0104: ['8443', '80'],
  MESH0105: ['v1.39.0', 'v1.40.0'],
  MESH0106: ['99999', '443'],
  MESH0107: ['sidecar.mesh.internal/inject: "false"', 'policy.mesh.internal/failPolicy: FAIL_OPEN'],
  MESH0108: ['failPolcy', 'failPolicy'],
  MESH0109: ['hosts: [reviews.shop.svc.cluster.local]', 'hosts: [reviews.example.com]'],
  MESH0110: ['  workloadSelector: { labels: { app: reviews } }\n', ''],
  MESH0111: [
    'spec: { egress: [{ hosts: ["*/*"]',
    'spec: { workloadSelector: { labels: { a: b } }, egress: [{ hosts: ["*/*"]',
  ],
  MESH0112: ['host: reviews\n', 'host: reviews\n            port: { number: 80 }\n'],
  MESH0113: ['mode: DISABLE', 'mode: MESH_MUTUAL'],
  MESH0114: ['"80"', '"8080"'],
  MESH0115: ['mode: MESH_MUTUAL', 'mode: DISABLE'],
  MESH0116: ['name: tcp', 'name: http-too'],
  MESH0117: ['{ mesh-injection: enabled }', '{}'],
  MESH0118: ['name: web', 'name: http-web'],
  MESH0119: ['name: web,', 'name: http-web,'],
  MESH0122: ['regex: books', 'regex: /books'],
  MESH0123: ['mesh-injection: enabled, ', ''],
  MESH0125: ['failPolicy: OPEN', 'failPolicy: FAIL_OPEN'],
  MESH0127: ['app: review }', 'app: reviews }'],
  MESH0128: ['mode: SIMPLE', 'mode: SIMPLE\n      caCertificates: /etc/certs/root.pem'],
  MESH0129: ['mode: SIMPLE', 'mode: SIMPLE\n          caCertificates: /etc/certs/root.pem'],
  MESH0262: ['source.namespace: { exact: web }', '"request.headers[x-team]": { exact: web }'],
  MESH0272: ['request.acount', 'request.account'],
  MESH0273: ['compiledTemplate: checknothing', 'compiledTemplate: quota'],
  MESH0274: ['logStream: FILE #', 'logStream: STDOUT #'],
  MESH0275: ['INT64', 'STRING'],
  MESH0284: ['source.labels["app"] == "reviews"', 'source.namespace == "reviews"'],
  MESH0285: ['request.path.matches("^/api/")', '\'"^/api/".matches(request.path)\''],
  MESH0286: ['response.code == 500', 'request.size > 500'],
  MESH0287: ['acount', 'account'],
  MESH0288: ['quota: request,', 'quota: requests,'],
  MESH0276: ['instances: [] #', 'instances: [anything] #'],
  MESH0277: ['[{ handler: refuse,', '[{ handler: refuse-all, instances: [anything] }, { handler: refuse,'],
  MESH0308: ['/key #', '/keys #'],
  MESH0309: ['/key #', '/keys #'],
  MESH0310: ['/key #', '/keys #'],
  MESH0311: ['name: jwt-1, namespace: shop', 'name: jwt-1, namespace: web'],
  MESH0403: ['hosts: [shop.example.com] #', 'hosts: [books.example.com] #'],
  MESH0404: [
    'trafficPolicy: { connectionPool: { tcp: { maxConnections: 9 } } } #',
    'subsets: [{ name: v2, labels: { version: v2 } }] #',
  ],
  MESH0407: ['delegate: { name: books } #', 'redirect: { uri: /all } #'],
  MESH0408: ['exportTo: ["*"]', 'exportTo: ["."]'],
  MESH0409: ['prefix: /api }', 'exact: /api }'],
  MESH0410: ['www.example.org', 'www.example.com'],
  MESH0411: ['web/reviews #', 'web/reviews.web.svc.cluster.local #'],
  MESH0412: ['service: reviews #', 'service: reviews.shop.svc.cluster.local #'],
  MESH0413: ['version: "2"', 'version: v2'],
  MESH0414: ['exportTo: "."', 'exportTo: "*"'],
  MESH0601: ['resource: { kind: Bucket, name: files } #', 'service: { name: web, port: { number: 80 } } #'],
  MESH0602: ['path: /cart #', 'path: /basket #'],
  MESH0603: ['name: cart #', 'name: web #'],
};
/** The codes of single kinds that have an example. */
const OF_KINDS = [
  ...['MESH0262', 'MESH0272', 'MESH0273', 'MESH0274', 'MESH0275', 'MESH0276', 'MESH0277', 'MESH0284'],
  ...['MESH0285', 'MESH0286', 'MESH0287', 'MESH0288'],
  ...['MESH0307', 'MESH0308', 'MESH0309', 'MESH0310', 'MESH0311', 'MESH0403', 'MESH0404', 'MESH0407', 'MESH0408'],
  ...['MESH0409', 'MESH0410', 'MESH0411', 'MESH0412', 'MESH0413', 'MESH0414'],
  ...['MESH0601', 'MESH0602', 'MESH0603'],
];
const keysCannotBeFetched = (problem: KeySourceProblem): Partial<AnalyzeSettings> => ({
  enforcement: {
    ...ENFORCEMENT,
    keySourceProblems: new Map([['jwks https://accounts.example.com/key', problem]]),
  },
});
/** The facts beside objects that cause a message. */
const SETTINGS: Readonly<Record<string, Partial<AnalyzeSettings>>> = {
  MESH0105: { enforcement: { ...ENFORCEMENT, proxyImage: 'envoyproxy/envoy:distroless-v1.40.0' } },
  MESH0307: { enforcement: { ...ENFORCEMENT, isAuthnOff: true } },
  MESH0308: keysCannotBeFetched({ reason: 'the server answered 404', hasKeys: false }),
  MESH0309: keysCannotBeFetched({ reason: 'the server answered 503', hasKeys: true }),
  MESH0310: keysCannotBeFetched({ reason: 'too many', hasKeys: false, refusedBy: 'NAV_JWKS_MAX_SOURCES' }),
  MESH0408: { meshConfigFile: fileURLToPath(new URL('../../../../samples/mesh-config.yaml', import.meta.url)) },
};
/** The settings that resolve messages about settings. */
const REMEDY_SETTINGS: Readonly<Record<string, Partial<AnalyzeSettings>>> = { MESH0307: { enforcement: ENFORCEMENT } };

/** Kinds whose reviews at admission get messages of the index of traffic. */
const REVIEWED = new Set([
  'AuthorizationPolicy',
  'DestinationRule',
  'EnvoyFilter',
  'Gateway',
  'PeerAuthentication',
  'RequestAuthentication',
  'Sidecar',
  'VirtualService',
  'attributemanifest',
  'handler',
  'instance',
  'rule',
]);

for (const file of FILES) {
  const code = file.replace('.yaml', '').toUpperCase();
  const text = readFileSync(new URL(file, folder), 'utf8');
  const found = async (content: string, settings = SETTINGS[code]) =>
    (await analyzeTexts({ [file]: content }, { isComplete: true, ...settings })).findings;

  test(`the example of ${code} gets the message at the marked line, and no other error`, async (t) => {
    const marked = text.split('\n').flatMap((line, index) => (line.endsWith(`# ${code}`) ? [index + 1] : []));
    const findings = await found(text);
    const shown = findings.map((each) => `${each.line} ${each.code} ${each.message}`).join('\n');
    t.is(marked.length, 1, 'one line is marked');
    t.true(
      findings.some((each) => each.code === code && each.line === marked[0]),
      shown,
    );
    t.deepEqual(
      findings.filter((each) => each.code !== code && each.level === 'Error'),
      [],
    );
  });

  test(`the remedy of the example of ${code} resolves the message`, async (t) => {
    const [wrong = '', right = ''] = REMEDIES[code] ?? [];
    t.true(text.includes(wrong));
    t.true(wrong !== '' || code in REMEDY_SETTINGS);
    const findings = await found(text.replace(wrong, right), REMEDY_SETTINGS[code]);
    t.deepEqual(
      findings.filter((each) => each.code === code || each.level === 'Error').map((each) => each.message),
      [],
    );
  });

  test(`a review of the object of the example of ${code} gives the message too, if its kind is reviewed`, (t) => {
    const objects = [...readTexts({ [file]: text }).placed.values()].map(({ object }) => object);
    const reviewed = objects.filter(({ kind }) => REVIEWED.has(kind));
    if (reviewed.length === 0) return t.pass();
    const messages = reviewed.flatMap((candidate) => {
      const others = objects.filter((each) => keyOf(each) !== keyOf(candidate));
      return createCandidateAnalysis(contextOf(others))(candidate, SETTINGS[code]?.enforcement ?? ENFORCEMENT);
    });
    const codes = messages.map((each) => each.code);
    t.is(codes.includes(code), isReviewed(code), codes.join());
  });
}

/** Messages about Services, Namespaces and pods come from the mesh as a whole. */
function isReviewed(code: string): boolean {
  const ofMesh = [
    'MESH0102',
    'MESH0103',
    'MESH0105',
    'MESH0106',
    'MESH0107',
    'MESH0108',
    'MESH0116',
    'MESH0117',
    'MESH0311',
  ];
  return !ofMesh.includes(code);
}

test('each message that many kinds share has an example', (t) => {
  const codes = Object.values(MESSAGE_CODES).map(({ code }) => code as string);
  t.deepEqual(
    FILES.map((file) => file.replace('.yaml', '').toUpperCase()),
    codes.filter((code) => OF_KINDS.includes(code) || (code < 'MESH0200' && !WITHOUT_EXAMPLE.includes(code))),
  );
});
