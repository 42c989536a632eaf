import test from 'ava';
import { analysisInputOf, canDiffer } from '../../../src/status/analysis/analysis-input.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { createCandidateAnalysis } from '../../../src/status/analysis/candidate/analyze-candidate.js';
import { readObject } from '../../config/support/read-yaml.js';
import { contextOf } from '../../model/mesh-objects.js';
import { ENFORCEMENT, shown } from './support.js';

function object(kind: string, name: string, spec: object, namespace = 'shop') {
  const apiVersion = 'security.mesh.internal/v1beta1';
  return readObject(JSON.stringify({ apiVersion, kind, metadata: { namespace, name }, spec }));
}

const authentication = (name: string, jwtRules: readonly object[], namespace?: string) =>
  object('RequestAuthentication', name, { jwtRules }, namespace);

const RULES = [{ issuer: 'https://a' }, { issuer: 'https://b', jwksUri: 'https://b/keys' }];
const BOTH = authentication('jwt', RULES);
const messagesOf = (objects: readonly ReturnType<typeof object>[], enforcement = ENFORCEMENT) =>
  analyze(analysisInputOf(contextOf(objects), enforcement)).map(shown);

test('keys that cannot be fetched are MESH0308, and MESH0309 while the last ones count', (t) => {
  const enforcement = {
    ...ENFORCEMENT,
    keySourceProblems: new Map([
      ['discovery https://a', { reason: 'the server answered 503', hasKeys: true }],
      ['jwks https://b/keys', { reason: 'the server answered 404', hasKeys: false }],
    ]),
  };
  const expected = [
    'MESH0309 RequestAuthentication/shop/jwt spec.jwtRules[0].issuer: the keys of issuer https://a cannot be fetched: ' +
      'the server answered 503; correct jwksUri or issuer, or make the server reachable for the control plane',
    'MESH0308 RequestAuthentication/shop/jwt spec.jwtRules[1].jwksUri: the keys of issuer https://b cannot be fetched: ' +
      'the server answered 404; correct jwksUri or issuer, or make the server reachable for the control plane ' +
      '(NAV_EGRESS_ALLOWED)',
  ];
  t.deepEqual(messagesOf([BOTH], enforcement), expected);
  t.deepEqual(createCandidateAnalysis(contextOf([]))(BOTH, enforcement).map(shown), expected);
  t.deepEqual(messagesOf([BOTH]), []);
});

test('a source of keys that a limit refuses is MESH0310 and names the setting', (t) => {
  const refused = { reason: 'too many', hasKeys: false, refusedBy: 'NAV_JWKS_MAX_SOURCES' };
  const [message] = messagesOf([BOTH], {
    ...ENFORCEMENT,
    keySourceProblems: new Map([['jwks https://b/keys', refused]]),
  });
  t.regex(
    message ?? '',
    /^MESH0310 .*jwtRules\[1\]\.jwksUri: there are more URLs of keys than NAV_JWKS_MAX_SOURCES allows/,
  );
});

test('without authn in --plugins each RequestAuthentication is MESH0307', (t) => {
  const [message, ...others] = messagesOf([BOTH], { ...ENFORCEMENT, isAuthnOff: true });
  t.regex(message ?? '', /^MESH0307 RequestAuthentication\/shop\/jwt: .*--plugins does not name authn/);
  t.deepEqual(others, []);
});

test('rules of a workload that are too large together are MESH0311 on each of their objects', (t) => {
  const rules = Array.from({ length: 32 }, () => RULES[1] as object);
  const objects = Array.from({ length: 5 }, (_, index) => authentication(`r${index}`, rules));
  const metadata = { namespace: 'shop', name: 'web', labels: { app: 'web' } };
  const pod = readObject(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec: {}, status: {} }));
  const messages = messagesOf([...objects, pod]);
  t.is(messages.length, 5);
  for (const message of messages) t.regex(message, /^MESH0311 .*the 160 rules of a workload of namespace shop/);
  t.deepEqual(messagesOf(objects), [], 'no workload has them');
});

test('an AuthorizationPolicy that requires a JWT is fine beside a RequestAuthentication of its namespace or the root', (t) => {
  const policy = object('AuthorizationPolicy', 'p', { rules: [{ from: [{ source: { requestPrincipals: ['*'] } }] }] });
  const codes = (...objects: readonly ReturnType<typeof object>[]) =>
    messagesOf([policy, ...objects]).map((message) => message.split(' ')[0]);
  t.deepEqual(codes(), ['MESH0305']);
  t.deepEqual(codes(authentication('a', RULES, 'elsewhere')), ['MESH0305']);
  t.deepEqual(codes(BOTH), []);
  t.deepEqual(codes(authentication('a', RULES, 'mesh-system')), []);
});

test('a changed RequestAuthentication leads to a new analysis', (t) => {
  t.true(canDiffer(contextOf([BOTH]), contextOf([])));
});
