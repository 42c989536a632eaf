import test from 'ava';
import { policyObjects } from '../../../status/analysis/support.js';
import { createRuleRig } from '../rule-rig.js';

const RULES = `
handler shop/gate {compiledAdapter: rbac}
instance shop/caller {compiledTemplate: authorization, params: { subject: {user: 'source.principal | ""', groups: 'request.headers["x-group"] | ""', properties: {source.ip: 'source.ip | ip("0.0.0.0")'}}, action: {namespace: destination.service.namespace, service: 'request.host | ""', method: 'request.method | ""', path: 'request.path | ""', properties: {'request.headers[x-tier]': 'request.headers["x-tier"] | ""'}}}}
rule shop/gate {actions: [{handler: gate, instances: [caller]}]}
`;
const WEB = 'cluster.local/ns/web/sa/web';

test('rbac allows what an ALLOW policy allows, and refuses the rest as Envoy does', (t) => {
  const { apply, check } = createRuleRig();
  apply(`${RULES}
AuthorizationPolicy shop/readers {rules: [{from: [{source: {principals: [${WEB}]}}], to: [{operation: {methods: [GET], paths: [/books/*]}}]}]}
`);
  const read = { 'request.method': 'GET', 'request.path': '/books/7?full=1', 'source.principal': WEB };
  t.like(check(read), { status: { code: 'OK' } });
  for (const other of [
    { 'request.method': 'POST' },
    { 'request.path': '/admin' },
    { 'source.principal': 'x/ns/y/sa/z' },
  ]) {
    t.like(check({ ...read, ...other }), { status: { code: 'PERMISSION_DENIED', message: 'access denied' } });
  }
});

test('rbac allows all requests without policies, and a DENY policy comes before an ALLOW policy', (t) => {
  const { apply, check } = createRuleRig();
  apply(RULES);
  t.like(check({}), { status: { code: 'OK' } });
  apply(`${RULES}
AuthorizationPolicy shop/all {rules: [{}]}
AuthorizationPolicy shop/no-delete {action: DENY, rules: [{to: [{operation: {methods: [DELETE]}}]}]}
`);
  t.like(check({ 'request.method': 'GET' }), { status: { code: 'OK' } });
  t.like(check({ 'request.method': 'DELETE' }), { status: { code: 'PERMISSION_DENIED' } });
});

test('rbac compares addresses, hosts, headers and groups that the instance has', (t) => {
  const { apply, check } = createRuleRig();
  const allowed = (policy: string, attributes: Parameters<typeof check>[0]) => {
    apply(`${RULES}\nAuthorizationPolicy shop/p ${policy}`);
    const decision = check(attributes);
    return !(decision instanceof Promise) && decision.status.code === 'OK';
  };
  const byHost = '{rules: [{to: [{operation: {hosts: [a.shop]}}]}]}';
  t.true(allowed(byHost, { 'request.host': 'a.shop' }));
  t.false(allowed(byHost, { 'request.host': 'b.shop' }));
  const byTier = `{rules: [{when: [{key: 'request.headers[x-tier]', values: [gold]}]}]}`;
  t.false(allowed(byTier, {}));
  const byGroup = `{rules: [{when: [{key: 'request.auth.claims[groups]', values: [staff]}]}]}`;
  t.false(allowed(byGroup, {}));
  const headers = (values: Record<string, string>) =>
    ({ 'request.headers': { type: 'stringMap', value: new Map(Object.entries(values)) } }) as const;
  t.true(allowed(byTier, headers({ 'x-tier': 'gold' })));
  t.true(allowed(byGroup, headers({ 'x-group': 'staff' })));
  const byAddress = `{rules: [{from: [{source: {ipBlocks: [10.0.0.0/8]}}]}]}`;
  t.true(allowed(byAddress, { 'source.ip': { type: 'bytes', value: Uint8Array.of(10, 1, 2, 3) } }));
  t.false(allowed(byAddress, { 'source.ip': { type: 'bytes', value: Uint8Array.of(11, 1, 2, 3) } }));
});

test('rbac refuses requests whose instance lacks what a policy compares, and the log names it', (t) => {
  const { apply, check, log } = createRuleRig();
  for (const [policy, needs] of [
    [`{action: DENY, rules: [{when: [{key: 'request.headers[x-bad]', values: [a]}]}]}`, 'request.headers[x-bad]'],
    [`{action: DENY, selector: {matchLabels: {app: web}}, rules: [{}]}`, 'destination.labels[app]'],
    [`{rules: [{when: [{key: 'connection.sni', values: [a]}]}]}`, 'connection.sni'],
  ] as const) {
    apply(`${RULES}\nAuthorizationPolicy shop/p ${policy}`);
    t.like(check({}), { status: { code: 'PERMISSION_DENIED' } }, needs);
    t.true(JSON.stringify(log).includes(`"needs":[${JSON.stringify(needs)}]`), needs);
  }
});

test('a handler of rbac decides about services of its own namespace, and one of the root namespace about all', (t) => {
  const { applyObjects, check } = createRuleRig();
  const policies = `
AuthorizationPolicy shop/closed {action: DENY, rules: [{}]}
AuthorizationPolicy web/open {rules: [{}]}
`;
  const ofRoot = RULES.replaceAll('shop/', 'mesh-system/');
  applyObjects(policyObjects(policies + ofRoot));
  t.like(check({}), { status: { code: 'PERMISSION_DENIED' } });
  t.like(check({ 'destination.service.namespace': 'web' }), { status: { code: 'OK' } });
  // The action of a tenant's instance names another namespace.
  const foreign = RULES.replace('namespace: destination.service.namespace', `namespace: '"web"'`);
  applyObjects(policyObjects(policies.replace('closed {action: DENY', 'opened {action: ALLOW') + foreign));
  t.like(check({}), { status: { code: 'PERMISSION_DENIED' } });
});

test('a changed AuthorizationPolicy is in force with its handler built again, and others stay', async (t) => {
  const { apply, check, series } = createRuleRig();
  const others = `handler shop/list {compiledAdapter: denier}
instance shop/any {compiledTemplate: checknothing}
rule shop/never {match: 'request.path == "/never"', actions: [{handler: list, instances: [any]}]}
`;
  apply(RULES + others);
  t.like(check({}), { status: { code: 'OK' } });
  apply(`${RULES}${others}AuthorizationPolicy shop/closed {action: DENY, rules: [{}]}`);
  t.like(check({}), { status: { code: 'PERMISSION_DENIED' } });
  t.deepEqual(await series('policy_handler_new_handlers_total'), ['policy_handler_new_handlers_total 1']);
  t.deepEqual(await series('policy_handler_reused_handlers_total'), ['policy_handler_reused_handlers_total 1']);
});
