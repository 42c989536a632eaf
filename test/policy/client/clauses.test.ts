import test from 'ava';
import { createAttributeBag } from '../../../src/policy/client/attribute-bag.js';
import { readAttributes } from '../../../src/policy/client/attributes-from-config.js';
import { compileApiSpecs } from '../../../src/policy/client/compile-api-specs.js';
import { compileQuotaSpecs } from '../../../src/policy/client/compile-quota-specs.js';
import { headerMapOf } from '../../../src/policy/client/header-map.js';
import { deriveHttpAttributes } from '../../../src/policy/client/http-attributes.js';
import type { StringMatchConfig } from '../../../src/policy/client/string-condition.js';

function bagOf(originIp: Uint8Array, headers: Readonly<Record<string, string>> = {}) {
  return createAttributeBag({
    staticFilter: readAttributes(
      { attributes: { 'destination.ip': { bytesValue: 'CgAAAg==' }, 'destination.port': { int64Value: 8080 } } },
      'mixerAttributes',
    ),
    staticRoute: readAttributes(
      { attributes: { 'destination.service.host': { stringValue: 'web.shop.svc.cluster.local' } } },
      'mixerAttributes',
    ),
    requestDerived: deriveHttpAttributes(
      {
        method: 'GET',
        host: 'web',
        target: '/books?page=2&page=3',
        headers: headerMapOf(Object.entries(headers)),
        timeNs: 7n,
        connection: { originIp, isMtls: true },
        auth: { claims: new Map([['group', 'staff']]) },
      },
      compileApiSpecs([]),
    ),
    ignoreForwarded: false,
    isGateway: false,
  });
}

const IPV4 = new Uint8Array([10, 1, 2, 3]);
const IPV6 = new Uint8Array([0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
const MAPPED = new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 1, 2, 3]);
const HEADERS = { 'X-User': 'ann', 'content-length': '12' };

function isCharged(clause: Readonly<Record<string, StringMatchConfig>>, bag = bagOf(IPV4, HEADERS)): boolean {
  // A second rule has each condition of the first looked at by itself as well, and not in an index alone.
  const rules = [
    { match: [{ clause }], quotas: [{ quota: 'q' }] },
    { match: [{ clause: { 'request.method': { exact: 'GET' }, ...clause } }], quotas: [{ quota: 'r' }] },
  ];
  const charged = compileQuotaSpecs([{ rules }])
    .chargesFor(bag)
    .map(({ quota }) => quota);
  if (charged.length === 1) throw new Error(`only ${charged[0]} is charged`);
  return charged.length === 2;
}

const MET: Readonly<Record<string, StringMatchConfig>> = {
  'request.headers[x-user]': { exact: 'ann' },
  'request.headers[X-USER]': { prefix: 'a' },
  'request.query_params[page]': { regex: '[23]' },
  'request.auth.claims[group]': { exact: 'staff' },
  'source.ip': { exact: '10.1.2.3' },
  'origin.ip': { prefix: '10.1.' },
  'destination.ip': { regex: '10\\.0\\..*' },
  'destination.service': { exact: 'web.shop.svc.cluster.local' },
  'target.service': { prefix: 'web.' },
};

for (const [name, match] of Object.entries(MET)) {
  test(`a clause matches ${name} by ${JSON.stringify(match)}`, (t) => {
    t.true(isCharged({ [name]: match }));
    t.false(isCharged({ [name]: { exact: 'other' } }));
  });
}

test('a clause on an entry that the map does not have, on a map as a whole, or on a number, matches nothing', (t) => {
  t.false(isCharged({ 'request.headers[x-other]': { regex: '.*' } }));
  t.false(isCharged({ 'request.headers': { regex: '.*' } }));
  t.false(isCharged({ 'request.path[x]': { regex: '.*' } }));
  t.false(isCharged({ 'destination.port': { exact: '8080' } }));
  t.false(isCharged({ 'request.time': { regex: '.*' } }));
});

test('an exact match of an address may be written in any form, and IPv4 in IPv6 is IPv4', (t) => {
  t.true(isCharged({ 'source.ip': { exact: '2001:DB8:0::1' } }, bagOf(IPV6)));
  t.true(isCharged({ 'source.ip': { prefix: '2001:db8:' } }, bagOf(IPV6)));
  t.true(isCharged({ 'source.ip': { exact: '10.1.2.3' } }, bagOf(MAPPED)));
  t.true(isCharged({ 'source.ip': { exact: '::ffff:10.1.2.3' } }));
});

test('request.size is the content-length, and absent without one', (t) => {
  t.deepEqual(bagOf(IPV4, HEADERS).get('request.size'), { type: 'int64', value: 12n });
  t.is(bagOf(IPV4).get('request.size'), undefined);
  t.is(bagOf(IPV4, { 'content-length': '-1' }).get('request.size'), undefined);
});

test('destination.service and target.service are the host of the service, unless the configuration sets others', (t) => {
  const host = { type: 'string', value: 'web.shop.svc.cluster.local' } as const;
  const entries = new Map(bagOf(IPV4).entries());
  t.deepEqual([entries.get('destination.service'), entries.get('target.service')], [host, host]);
  const other = { type: 'string', value: 'other' } as const;
  const bag = bagOf(IPV4).overlaid(new Map([['destination.service', other]]));
  t.deepEqual([bag.get('destination.service'), bag.get('target.service')], [other, host]);
  t.is([...bag.entries()].filter(([name]) => name === 'destination.service').length, 1);
});
