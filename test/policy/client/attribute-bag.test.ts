import test from 'ava';
import {
  type AttributeLayer,
  bagOf,
  createAttributeBag,
  EMPTY_LAYER,
} from '../../../src/policy/client/attribute-bag.js';
import {
  type AttributeValue,
  bytesAttribute,
  int64Attribute,
  stringAttribute,
} from '../../../src/policy/client/attribute-value.js';

const FORWARDED_NAME = 'source.uid';

function layer(entries: Readonly<Record<string, string>>): AttributeLayer {
  return new Map(Object.entries(entries).map(([name, value]) => [name, stringAttribute(value)]));
}

const STEPS = ['static filter', 'static route', 'forwarded filter', 'forwarded route', 'request'] as const;

function bagOfSteps(count: number, flags: { ignoreForwarded?: boolean; isGateway?: boolean } = {}) {
  const layers = STEPS.map((step, index) => (index < count ? layer({ [FORWARDED_NAME]: step }) : EMPTY_LAYER));
  const [staticFilter, staticRoute, forwardedFilter, forwardedRoute, requestDerived] = layers;
  return createAttributeBag({
    staticFilter: staticFilter ?? EMPTY_LAYER,
    staticRoute: staticRoute ?? EMPTY_LAYER,
    forwardedFilter: forwardedFilter ?? EMPTY_LAYER,
    forwardedRoute: forwardedRoute ?? EMPTY_LAYER,
    requestDerived: requestDerived ?? EMPTY_LAYER,
    ignoreForwarded: flags.ignoreForwarded ?? false,
    isGateway: flags.isGateway ?? false,
  });
}

STEPS.forEach((step, index) => {
  test(`attributes of step ${index + 1}, ${step}, take precedence over all steps before`, (t) => {
    t.deepEqual(bagOfSteps(index + 1).get(FORWARDED_NAME), stringAttribute(step));
  });
});

test('forwarded attributes do not count when the configuration ignores them', (t) => {
  t.deepEqual(bagOfSteps(4, { ignoreForwarded: true }).get(FORWARDED_NAME), stringAttribute('static route'));
});

test('gateways never use forwarded attributes, even when they are not ignored', (t) => {
  t.deepEqual(
    bagOfSteps(4, { isGateway: true, ignoreForwarded: false }).get(FORWARDED_NAME),
    stringAttribute('static route'),
  );
});

test('forwarded attributes that are not present leave the static ones in force', (t) => {
  const bag = createAttributeBag({
    staticFilter: layer({ [FORWARDED_NAME]: 'own' }),
    requestDerived: EMPTY_LAYER,
    ignoreForwarded: false,
    isGateway: false,
  });
  t.deepEqual(bag.get(FORWARDED_NAME), stringAttribute('own'));
});

test('a caller can forward only the permitted attributes, in the right type', (t) => {
  const forwardedRoute = new Map<string, AttributeValue>([
    ['source.ip', bytesAttribute(new Uint8Array([10, 0, 0, 1]))],
    ['source.namespace', int64Attribute(7)],
    ['destination.service.host', stringAttribute('a.example')],
    ['destination.principal', stringAttribute('forged')],
    ['request.api_key', stringAttribute('forged')],
  ]);
  const bag = createAttributeBag({
    staticFilter: EMPTY_LAYER,
    forwardedRoute,
    requestDerived: EMPTY_LAYER,
    ignoreForwarded: false,
    isGateway: false,
  });
  t.deepEqual(
    [...bag.entries()].map(([name]) => name),
    ['source.ip', 'destination.service.host', 'destination.service', 'target.service'],
  );
});

test('entries gives every name once, with the value that takes precedence', (t) => {
  const bag = createAttributeBag({
    staticFilter: layer({ a: 'static', b: 'static' }),
    staticRoute: layer({ b: 'route', c: 'route' }),
    requestDerived: layer({ c: 'request' }),
    ignoreForwarded: true,
    isGateway: false,
  });
  const entries = [...bag.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
  t.deepEqual(
    entries.map(([name, value]) => [name, value.value]),
    [
      ['a', 'static'],
      ['b', 'route'],
      ['c', 'request'],
    ],
  );
  for (const [name, value] of entries) t.is(bag.get(name), value);
});

test('an overlay takes precedence and leaves the bag below as it was', (t) => {
  const below = bagOf(layer({ a: '1', b: '1' }));
  const above = below.overlaid(layer({ b: '2' }));
  t.deepEqual(above.get('a'), stringAttribute('1'));
  t.deepEqual(above.get('b'), stringAttribute('2'));
  t.deepEqual(below.get('b'), stringAttribute('1'));
  t.is(above.get('c'), undefined);
});
