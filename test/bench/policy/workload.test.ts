import test from 'ava';
import { buildPolicyWorkload } from '../../../bench/policy/workload.js';
import { bagOf } from '../../../src/policy/client/attribute-bag.js';
import { compileApiSpecs } from '../../../src/policy/client/compile-api-specs.js';
import { compileQuotaSpecs } from '../../../src/policy/client/compile-quota-specs.js';
import { deriveHttpAttributes } from '../../../src/policy/client/http-attributes.js';

const WORKLOAD = buildPolicyWorkload({ patterns: 100, rules: 20 });
const API = compileApiSpecs([WORKLOAD.apiSpec]);
const QUOTA = compileQuotaSpecs([WORKLOAD.quotaSpec]);

test('all patterns and rules of the measured workload are in use', (t) => {
  t.deepEqual([API.problems, QUOTA.problems], [[], []]);
  const layers = WORKLOAD.requests.map((request) => deriveHttpAttributes(request, API));
  const operations = new Set(layers.map((layer) => layer.get('api.operation')?.value));
  t.is(operations.size, 101, 'each operation is called, and some requests call none');
  const quotas = new Set(layers.flatMap((layer) => QUOTA.chargesFor(bagOf(layer)).map(({ quota }) => quota)));
  t.true(quotas.size > 10, `${quotas.size} quotas are charged`);
});

test('the same size gives the same workload', (t) => {
  t.deepEqual(buildPolicyWorkload({ patterns: 100, rules: 20 }), WORKLOAD);
});
