import test from 'ava';
import { createKindRegistry } from '../../../src/config/kinds.js';
import {
  leavesRules,
  trustOf,
  webhookRules,
  withTrust,
} from '../../../src/webhooks/certificates/webhook-configuration.js';

const entry = (name: string, caBundle?: string, failurePolicy = 'Fail') => ({
  name,
  clientConfig: { service: { name: 'meshd' }, ...(caBundle === undefined ? {} : { caBundle }) },
  failurePolicy,
  timeoutSeconds: 5,
});
const configuration = (...webhooks: object[]) => ({ metadata: { name: 'a', resourceVersion: '7' }, webhooks });

test('every entry gets the caBundle and the failurePolicy, and other fields stay', (t) => {
  t.deepEqual(withTrust(configuration(entry('a'), entry('b', 'old', 'Ignore')), 'new', 'Fail'), {
    metadata: { name: 'a', resourceVersion: '7' },
    webhooks: [entry('a', 'new'), entry('b', 'new')],
  });
});

test('a correct configuration is not changed', (t) => {
  t.is(withTrust(configuration(entry('a', 'new'), entry('b', 'new')), 'new', 'Fail'), undefined);
});

test('one entry with another caBundle or failurePolicy causes a change', (t) => {
  t.not(withTrust(configuration(entry('a', 'new'), entry('b', 'old')), 'new', 'Fail'), undefined);
  t.not(withTrust(configuration(entry('a', 'new'), entry('b', 'new', 'Ignore')), 'new', 'Fail'), undefined);
});

test('a configuration without entries is not changed', (t) => {
  for (const body of [configuration(), {}, undefined, 'text', { webhooks: 'none' }]) {
    t.is(withTrust(body, 'new', 'Fail'), undefined);
  }
});

test('the caBundle of entries is found by the end of their names', (t) => {
  const found = configuration(entry('pod.a', 'roots'), entry('a'), entry('other-a', 'x'));
  t.deepEqual(
    [...trustOf(found, 'a')],
    [
      ['pod.a', 'roots'],
      ['a', ''],
    ],
  );
  t.is(trustOf(found, 'c').size, 0);
  t.is(trustOf({}, 'a').size, 0);
});

test('rules name exactly the kinds of the mesh', (t) => {
  const common = { apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], scope: '*' };
  t.deepEqual(webhookRules(createKindRegistry('acme.io').definitions, 'acme.io'), [
    {
      ...common,
      apiGroups: ['config.acme.io'],
      resources: [
        'adapters',
        'attributemanifests',
        'consumers',
        'handlers',
        'httpapispecbindings',
        'httpapispecs',
        'instances',
        'plans',
        'quotaspecbindings',
        'quotaspecs',
        'rules',
        'templates',
      ],
    },
    {
      ...common,
      apiGroups: ['networking.acme.io'],
      resources: [
        'destinationrules',
        'envoyfilters',
        'gateways',
        'serviceentries',
        'sidecars',
        'virtualservices',
        'workloadentries',
      ],
    },
    {
      ...common,
      apiGroups: ['security.acme.io'],
      resources: ['authorizationpolicies', 'peerauthentications', 'requestauthentications'],
    },
  ]);
});

test('different rules are replaced, and equal rules stay', (t) => {
  const rules = webhookRules(createKindRegistry('acme.io').definitions, 'acme.io');
  const trusted = entry('a', 'new');
  t.deepEqual(withTrust(configuration(trusted), 'new', 'Fail', rules), configuration({ ...trusted, rules }));
  t.is(withTrust(configuration({ ...trusted, rules }), 'new', 'Fail', rules), undefined);
});

test('the annotation webhook-rules leaves the rules to the control plane', (t) => {
  const annotated = (annotations: unknown) => ({ metadata: { annotations } });
  t.true(leavesRules(annotated({ 'acme.io/webhook-rules': 'managed' }), 'acme.io'));
  for (const annotations of [{ 'acme.io/webhook-rules': '' }, { 'other.io/webhook-rules': 'managed' }, undefined]) {
    t.false(leavesRules(annotated(annotations), 'acme.io'));
  }
});
