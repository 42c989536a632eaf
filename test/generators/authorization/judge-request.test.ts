import test from 'ava';
import type { AuthorizationPolicySpec } from '../../../src/config/security/authorization-policy.js';
import { judgementText, judgeRequest } from '../../../src/generators/authorization/judge-request.js';
import type { RequestFacts } from '../../../src/generators/authorization/match-rbac.js';

const WEB = 'spiffe://cluster.local/ns/shop/sa/web';
const GET: RequestFacts = { headers: new Map([[':method', 'GET']]), path: '/books', hasToken: false };

function policy(name: string, action: string, ...rules: object[]) {
  return { name, namespace: 'shop', spec: { action, rules } as AuthorizationPolicySpec };
}

function judge(policies: ReturnType<typeof policy>[], facts: RequestFacts, isTooLarge = false) {
  return judgeRequest({ key: '', policies, isTooLarge }, ['cluster.local'], facts);
}

const from = (source: object) => ({ from: [{ source }] });
const to = (operation: object) => ({ to: [{ operation }] });

test('the verdict names the policies and the rules that deny, in the order of the filters', (t) => {
  const readers = policy('readers', 'ALLOW', to({ methods: ['PUT'] }), to({ methods: ['GET'] }));
  const closed = policy('closed', 'DENY', to({ paths: ['/books*'] }));
  const { verdict, policies } = judge([readers, closed], GET);
  t.like(verdict, { type: 'denied', because: 'denied', by: [{ object: 'AuthorizationPolicy/shop/closed' }] });
  t.deepEqual(policies.map(judgementText), ['rule 2 matches', 'rule 1 matches']);
  t.is(judge([readers], GET).verdict.type, 'allowed');
  t.like(judge([readers], { ...GET, headers: new Map([[':method', 'POST']]) }).verdict, { because: 'notAllowed' });
});

test('a rule that compares what is not known stays open, and says on what it depends', (t) => {
  const team = policy('team', 'ALLOW', { ...from({ namespaces: ['shop'], ipBlocks: ['10.0.0.0/8'] }) });
  const { verdict, policies } = judge([team], GET);
  t.like(verdict, { type: 'open', deny: [], allow: [{ object: 'AuthorizationPolicy/shop/team' }] });
  t.deepEqual(policies.map(judgementText), ['rule 1 depends on source.ip, source.principal']);
  t.is(judge([team], { ...GET, principal: WEB, sourceIp: '10.1.2.3' }).verdict.type, 'allowed');
  t.is(judge([team], { ...GET, principal: WEB, sourceIp: '192.0.2.1' }).verdict.type, 'denied');
  t.is(judge([team], { ...GET, principal: '' }).verdict.type, 'denied');
});

test('what is known decides where it can, whatever is not known', (t) => {
  const post = policy('post', 'DENY', { ...from({ principals: ['*'] }), ...to({ methods: ['POST'] }) });
  t.is(judge([post], GET).verdict.type, 'allowed');
  const tokens = policy('tokens', 'DENY', from({ notRequestPrincipals: ['*'] }));
  t.is(judge([tokens], GET).verdict.type, 'denied');
  const { hasToken: _, ...withToken } = GET;
  t.deepEqual(judge([tokens], withToken).policies.map(judgementText), [
    'rule 1 depends on request.auth.claims[iss], request.auth.claims[sub]',
  ]);
});

test('policies that are too large together reject everything, and AUDIT decides nothing', (t) => {
  t.like(judge([policy('a', 'ALLOW', {})], GET, true).verdict, { type: 'denied', because: 'tooLarge' });
  t.is(judge([policy('a', 'AUDIT', {})], GET).verdict.type, 'allowed');
});
