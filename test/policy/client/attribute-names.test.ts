import test from 'ava';
import { type AttributeBag, createAttributeBag } from '../../../src/policy/client/attribute-bag.js';
import { readAttributes } from '../../../src/policy/client/attributes-from-config.js';
import { compileApiSpecs } from '../../../src/policy/client/compile-api-specs.js';
import { compileQuotaSpecs } from '../../../src/policy/client/compile-quota-specs.js';
import { headerMapOf } from '../../../src/policy/client/header-map.js';
import { deriveHttpAttributes } from '../../../src/policy/client/http-attributes.js';
import { deriveHttpReportAttributes } from '../../../src/policy/client/http-report-attributes.js';

function text(stringValue: string) {
  return { stringValue };
}

const API = compileApiSpecs([
  {
    attributes: { attributes: { 'api.service': text('pets'), 'api.version': text('1') } },
    patterns: [
      { httpMethod: 'GET', uriTemplate: '/pets', attributes: { attributes: { 'api.operation': text('list') } } },
    ],
  },
]);

/** What a proxy reports of a request: each attribute from where it comes from. */
function reportedBag(): AttributeBag {
  const bag = createAttributeBag({
    staticFilter: readAttributes(
      { attributes: { 'destination.uid': text('pod-2'), 'destination.ip': { bytesValue: 'CgAAAg==' } } },
      'mixerAttributes',
    ),
    staticRoute: readAttributes(
      { attributes: { 'destination.service': text('pets.shop'), 'target.service': text('pets.shop') } },
      'mixerAttributes',
    ),
    forwardedFilter: readAttributes(
      { attributes: { 'source.uid': text('pod-1'), 'source.ip': { bytesValue: 'CgAAAQ==' } } },
      'forwardAttributes',
    ),
    requestDerived: deriveHttpAttributes(
      {
        method: 'GET',
        host: 'pets',
        target: '/pets?key=k',
        headers: headerMapOf([]),
        timeNs: 7n,
        connection: { isMtls: true },
      },
      API,
    ),
    ignoreForwarded: false,
    isGateway: false,
  });
  return bag.overlaid(deriveHttpReportAttributes({ requestBodyBytes: 9n, decision: {} }, bag));
}

const NAMES: readonly (readonly [string, string, unknown])[] = [
  ['request.path', 'string', '/pets?key=k'],
  ['request.size', 'int64', 9n],
  ['request.time', 'timestamp', 7n],
  ['source.ip', 'bytes', new Uint8Array([10, 0, 0, 1])],
  ['source.uid', 'string', 'pod-1'],
  ['target.service', 'string', 'pets.shop'],
  ['destination.service', 'string', 'pets.shop'],
  ['destination.ip', 'bytes', new Uint8Array([10, 0, 0, 2])],
  ['destination.uid', 'string', 'pod-2'],
  ['request.httpmethod', 'string', 'GET'],
  ['request.api_key', 'string', 'k'],
  ['api.service', 'string', 'pets'],
  ['api.version', 'string', '1'],
  ['api.operation', 'string', 'list'],
];

for (const [name, type, value] of NAMES) {
  test(`${name} is an attribute of the interface, a ${type}`, (t) => {
    t.deepEqual<unknown, unknown>(reportedBag().get(name), { type, value });
  });
}

test('a quota rule can be about every name of the interface that holds a text', (t) => {
  const texts = NAMES.filter(([, type]) => type === 'string');
  const rules = texts.map(([name, , value]) => ({
    match: [{ clause: { [name]: { exact: String(value) } } }],
    quotas: [{ quota: name }],
  }));
  t.deepEqual(
    compileQuotaSpecs([{ rules }])
      .chargesFor(reportedBag())
      .map(({ quota }) => quota),
    texts.map(([name]) => name),
  );
});

test('attributes are static per proxy, extracted from a request, or forwarded, all in one bag', (t) => {
  const bag = reportedBag();
  const values = ['destination.uid', 'api.operation', 'source.uid'].map((name) => bag.get(name)?.value);
  t.deepEqual(values, ['pod-2', 'list', 'pod-1']);
});
