import test from 'ava';
import { createRuleHeaders } from '../../../../src/model/policy/rules/rule-headers.js';
import { policyObjects } from '../../../status/analysis/support.js';
import { tenantMesh } from '../tenant-objects.js';

function headersOf(text: string, ...namespaces: readonly string[]) {
  return createRuleHeaders()(tenantMesh(policyObjects(text)).context).of(namespaces);
}

test('proxies may take the headers that rules set for the namespace, and no others', (t) => {
  const rules = `
    rule shop/a {requestHeaderOperations: [{name: X-B, values: ['"1"']}, {name: x-gone, operation: REMOVE}]}
    rule shop/b {requestHeaderOperations: [{name: x-a, values: ['"1"'], operation: APPEND}], responseHeaderOperations: [{name: x-c, values: ['"1"'], operation: APPEND}, {name: x-d, operation: REMOVE}]}
    rule web/a {requestHeaderOperations: [{name: x-web, values: ['"1"']}]}`;
  t.like(headersOf(rules, 'shop'), { request: ['x-a', 'x-b'], response: ['x-c'], needsGrpc: false });
  t.like(headersOf(rules, 'web'), { request: ['x-web'], response: [] });
  t.like(headersOf(rules, 'shop', 'web'), { request: ['x-a', 'x-b', 'x-web'] });
  t.like(headersOf(rules, 'other'), { request: [], key: '' });
});

test('replaced headers of responses, and very many names, need Checks over gRPC', (t) => {
  const replaced = `rule shop/a {responseHeaderOperations: [{name: x-c, values: ['"1"']}]}`;
  t.like(headersOf(replaced, 'shop'), { request: [], response: [], needsGrpc: true });
  t.false(headersOf(replaced, 'web').needsGrpc);
  const many = (count: number) => Array.from({ length: count }, (_, index) => `{name: x-${index}, values: ['"1"']}`);
  t.false(headersOf(`rule shop/a {requestHeaderOperations: [${many(64)}]}`, 'shop').needsGrpc);
  t.true(
    headersOf(
      `rule shop/a {requestHeaderOperations: [${many(64)}]}\nrule shop/b {requestHeaderOperations: [{name: y, values: ['"1"']}]}`,
      'shop',
    ).needsGrpc,
  );
});

test('rules of the root namespace apply to every namespace', (t) => {
  const { context } = tenantMesh([]);
  const { rootNamespace } = context.bindingGrants;
  const rules = `rule ${rootNamespace}/a {requestHeaderOperations: [{name: x-a, values: ['"1"']}]}`;
  t.deepEqual(headersOf(rules, 'anything').request, ['x-a']);
});
