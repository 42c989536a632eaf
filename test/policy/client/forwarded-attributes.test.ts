import test from 'ava';
import { createMessageEncoder } from '../../../src/envoy/message-encoder.js';
import { forwardAttributesOf } from '../../../src/model/policy/filter-attributes.js';
import { type AttributeLayer, createAttributeBag, EMPTY_LAYER } from '../../../src/policy/client/attribute-bag.js';
import {
  type AttributeValue,
  bytesAttribute,
  int64Attribute,
  stringAttribute,
} from '../../../src/policy/client/attribute-value.js';
import { acceptForwarded } from '../../../src/policy/client/forwarded-attributes.js';
import { createConfigDecoder } from '../../../src/policy/wire/config-decoder.js';
import { createConfigEncoder, forwardedAttributesHeader } from '../../../src/policy/wire/config-encoder.js';
import { loadPolicyProtos } from '../../../src/policy/wire/policy-protos.js';

const TEXT = stringAttribute('x');

const accepted = (attributes: Readonly<Record<string, AttributeValue>>): readonly string[] => [
  ...acceptForwarded(new Map(Object.entries(attributes))).keys(),
];

test('forwardAttributes of a user count, of any type', (t) => {
  const own = { 'shop.tenant': TEXT, 'shop.age': int64Attribute(7n), tier: TEXT, 'request.priority': TEXT };
  t.deepEqual(accepted(own), Object.keys(own));
});

for (const name of [
  'source.user',
  'source.principal',
  'destination.uid',
  'destination.service',
  'target.service',
  'origin.ip',
  'connection.mtls',
  'context.reporter.uid',
  'api.operation',
  'request.auth.principal',
  'request.api_key',
]) {
  test(`a caller cannot forward ${name}, and other forwarded attributes are used`, (t) => {
    t.deepEqual(accepted({ [name]: TEXT, 'shop.tenant': TEXT }), ['shop.tenant']);
  });
}

test('a caller may send its uid, namespace, address and the called service, only in their types', (t) => {
  t.deepEqual(
    accepted({ 'source.uid': TEXT, 'destination.service.host': TEXT, 'source.ip': bytesAttribute(new Uint8Array(4)) }),
    ['source.uid', 'destination.service.host', 'source.ip'],
  );
  t.deepEqual(accepted({ 'source.uid': int64Attribute(1n) }), []);
});

test('the library writes the header x-mesh-attributes that it reads; the service goes before the client', (t) => {
  const protos = loadPolicyProtos();
  const encoder = createConfigEncoder(createMessageEncoder(protos));
  const text = (stringValue: string) => ({ stringValue });
  const header = forwardedAttributesHeader(
    encoder,
    { forwardAttributes: { attributes: { 'source.uid': text('me'), 'shop.tenant': text('client') } } },
    { forwardAttributes: { attributes: { 'shop.tenant': text('service') } } },
  );
  t.deepEqual(
    createConfigDecoder(protos).readAttributesText(header ?? ''),
    new Map([
      ['source.uid', stringAttribute('me')],
      ['shop.tenant', stringAttribute('service')],
    ]),
  );
  t.is(forwardedAttributesHeader(encoder, {}), undefined);
});

test('the configuration of a client has its identity, and a receiver without its connection has its address', (t) => {
  const protos = loadPolicyProtos();
  const proxy = {
    id: 'sidecar~10.0.0.7~web-1.shop~shop.svc.cluster.local',
    ipAddresses: ['10.0.0.7'],
    configNamespace: 'shop',
  };
  const encoder = createConfigEncoder(createMessageEncoder(protos));
  const header = forwardedAttributesHeader(encoder, { forwardAttributes: forwardAttributesOf(proxy) });
  const forwardedFilter = createConfigDecoder(protos).readAttributesText(header ?? '') ?? EMPTY_LAYER;
  const valueWith = (requestDerived: AttributeLayer, name: string) =>
    createAttributeBag({
      forwardedFilter,
      staticFilter: EMPTY_LAYER,
      requestDerived,
      ignoreForwarded: false,
      isGateway: false,
    }).get(name);
  t.deepEqual(valueWith(EMPTY_LAYER, 'source.ip'), bytesAttribute(Buffer.from([10, 0, 0, 7])));
  t.deepEqual(valueWith(EMPTY_LAYER, 'source.namespace'), stringAttribute('shop'));
  const seen = bytesAttribute(new Uint8Array([10, 0, 0, 9]));
  t.deepEqual(
    valueWith(new Map([['source.ip', seen]]), 'source.ip'),
    seen,
    'what the receiver sees itself goes before',
  );
});
