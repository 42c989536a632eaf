import test from 'ava';
import { virtualHostDomains, virtualHostNames } from '../../../src/generators/routes/virtual-host-domains.js';
import type { Service } from '../../../src/model/service.js';
import { buildService } from '../context-builder.js';

const domainsOf = (fields: Partial<Service>, dnsDomain = 'elsewhere.example', withoutPort = true) =>
  virtualHostDomains(virtualHostNames(buildService({ addresses: [], ...fields }), dnsDomain), 80, withoutPort);
const HOST = 'web.default.svc.cluster.local';

test('every name is there with its port and without', (t) => {
  t.deepEqual(domainsOf({}, 'default.svc.cluster.local'), [
    HOST,
    `${HOST}:80`,
    'web',
    'web:80',
    'web.default',
    'web.default:80',
    'web.default.svc',
    'web.default.svc:80',
  ]);
});

test('names without a port are left out where they mean another port', (t) => {
  t.deepEqual(domainsOf({ addresses: ['10.96.0.1'] }, '', false), [`${HOST}:80`, '10.96.0.1:80']);
});

test('addresses are names too, IPv6 in brackets; ranges and the unspecified address are none', (t) => {
  const addresses = ['10.96.0.1', 'FD00:0::1', '172.16.0.0/16', '192.0.2.1/32', '0.0.0.0'];
  t.deepEqual(domainsOf({ addresses }), [
    ...[HOST, `${HOST}:80`, '10.96.0.1', '10.96.0.1:80', '[fd00::1]', '[fd00::1]:80', '192.0.2.1', '192.0.2.1:80'],
  ]);
});

test('a headless service is also reached by the names of its pods', (t) => {
  const domains = domainsOf({ headless: true }, 'other.svc.cluster.local');
  t.deepEqual(
    domains.filter((domain) => domain.startsWith('*')),
    [`*.${HOST}`, `*.${HOST}:80`, '*.web.default', '*.web.default:80', '*.web.default.svc', '*.web.default.svc:80'],
  );
});

test('a wildcard host stays as it is, even when headless', (t) => {
  t.deepEqual(domainsOf({ hostname: '*.example.com', headless: true }), ['*.example.com', '*.example.com:80']);
});

test('domains are in lower case, as Envoy compares them, and each is there once', (t) => {
  t.deepEqual(domainsOf({ hostname: 'API.example.com', addresses: ['10.0.0.1', '10.0.0.1/32'] }), [
    'api.example.com',
    'api.example.com:80',
    '10.0.0.1',
    '10.0.0.1:80',
  ]);
});

test("the domain of all hosts stays the fallback's", (t) => {
  t.deepEqual(domainsOf({ hostname: '*' }), []);
});
