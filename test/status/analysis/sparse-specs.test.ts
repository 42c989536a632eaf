import test from 'ava';
import { MESSAGE_CODES } from '../../../src/status/analysis/message-codes.js';
import { messagesOf } from './support.js';

const { chargesNothing, anyMethod, noPatterns, unusableServicePattern } = MESSAGE_CODES;

test('a QuotaSpec, a rule and a quota that charge nothing are MESH0241, each at its place', (t) => {
  t.deepEqual(
    messagesOf(
      `QuotaSpec shop/empty {}
      QuotaSpec shop/some {rules: [{}, {quotas: [{quota: q}, {charge: 2}, {quota: r, charge: 0}]}]}`,
      'sparse-specs',
    ),
    [
      `MESH0241 QuotaSpec/shop/empty spec.rules: there are no rules, so nothing is charged; ${chargesNothing.remedy}`,
      `MESH0241 QuotaSpec/shop/some spec.rules[0]: the rule has no quotas, so it charges nothing; ${chargesNothing.remedy}`,
      `MESH0241 QuotaSpec/shop/some spec.rules[1].quotas[1]: the quota has no name, so nothing is charged; ${chargesNothing.remedy}`,
      `MESH0241 QuotaSpec/shop/some spec.rules[1].quotas[2]: quota r is charged 0, so nothing is charged; ${chargesNothing.remedy}`,
    ],
  );
});

test('a pattern without a method is MESH0242, because it matches every method', (t) => {
  t.deepEqual(
    messagesOf(
      'HTTPAPISpec shop/a {patterns: [{httpMethod: GET, uriTemplate: /a}, {uriTemplate: /b}]}',
      'sparse-specs',
    ),
    [
      `MESH0242 HTTPAPISpec/shop/a spec.patterns[1]: without httpMethod it matches requests of every method; ${anyMethod.remedy}`,
    ],
  );
});

test('an HTTPAPISpec without patterns is MESH0243, with or without API keys', (t) => {
  t.deepEqual(
    messagesOf(
      `HTTPAPISpec shop/keys {apiKeys: [{header: x-key}]}
      HTTPAPISpec shop/nothing {}`,
      'sparse-specs',
    ),
    [
      `MESH0243 HTTPAPISpec/shop/keys spec.patterns: there are no patterns, so it only sets the place of the API key (request.api_key); ${noPatterns.remedy}`,
      `MESH0243 HTTPAPISpec/shop/nothing spec.patterns: there are no patterns, so it has no effect; ${noPatterns.remedy}`,
    ],
  );
});

test('a service of a binding without a name is MESH0205, and matches no service', (t) => {
  t.deepEqual(
    messagesOf(
      `ServiceEntry shop/web {hosts: [web.shop.svc.cluster.local], location: MESH_INTERNAL, ports: [{number: 80, name: http, protocol: HTTP}]}
      QuotaSpecBinding shop/b {services: [{namespace: shop}], quotaSpecs: [{name: a}]}`,
      'unusable-patterns',
    ),
    [
      `MESH0205 QuotaSpecBinding/shop/b spec.services[0]: it has neither name nor service, so it matches no service; ${unusableServicePattern.remedy}`,
    ],
  );
});
