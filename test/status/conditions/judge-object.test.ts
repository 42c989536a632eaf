import test from 'ava';
import { MESSAGE_CODES, type MessageName } from '../../../src/status/analysis/message-codes.js';
import type { ObjectFacts } from '../../../src/status/conditions/object-facts.js';
import { judgeObject } from '../../../src/status/conditions/object-status.js';
import { factsOf, messageOf, progressOf, told } from './support.js';

const remedyOf = (name: MessageName): string => MESSAGE_CODES[name].remedy;

const rejection = (proxy: string, others: readonly string[] = [], text = 'no such cluster\n') => ({
  proxy,
  type: 'ecds',
  text,
  others,
});

test('an object that every proxy has is valid, complete and in force', (t) => {
  t.deepEqual(told(factsOf()), [
    'Accepted=True Valid: It is valid.',
    'ResolvedRefs=True Resolved: All references exist.',
    'Reconciled=True UpToDate: 3/3 proxies up to date.',
  ]);
});

test('a generation that has not been read gets no conditions', (t) => {
  t.is(judgeObject(factsOf({ servedGeneration: 1 })), undefined);
  t.is(judgeObject(factsOf({ servedGeneration: undefined })), undefined);
});

const refused: readonly [title: string, facts: Partial<ObjectFacts>, accepted: string, reconciled: string][] = [
  [
    'with an earlier state',
    { servedGeneration: 1, refusals: [{ reason: 'QuotaSpec shop/books: spec.rules: is empty; add one' }] },
    'QuotaSpec shop/books: spec.rules: is empty; add one. Its last good state, generation 1, stays in force.',
    '0/3 proxies up to date. Not accepted: QuotaSpec shop/books: spec.rules: is empty; add one.',
  ],
  [
    'without an earlier state',
    { servedGeneration: undefined, progress: undefined, refusals: [{ reason: 'bad' }] },
    'Bad. No earlier state is in force.',
    '0/0 proxies up to date. Not accepted: bad.',
  ],
  [
    'with an error outside its spec',
    { refusals: [{ reason: 'bad label' }] },
    'Bad label. Its last good state stays in force.',
    '0/3 proxies up to date. Not accepted: bad label.',
  ],
  [
    'with many errors, of which the first are named',
    { servedGeneration: 1, refusals: ['a', 'b', 'c', 'd', 'e'].map((reason) => ({ reason })) },
    'a; b; c; and 2 more. Its last good state, generation 1, stays in force.',
    '0/3 proxies up to date. Not accepted: a.',
  ],
];

for (const [title, facts, accepted, reconciled] of refused) {
  test(`a refused object ${title}: the conditions name the reason and the state in force`, (t) => {
    t.deepEqual(told(factsOf(facts)), [
      `Accepted=False Invalid: ${accepted}`,
      'ResolvedRefs=Unknown NotAccepted: It is not accepted.',
      `Reconciled=False NotAccepted: ${reconciled}`,
    ]);
  });
}

const references: readonly [title: string, facts: Partial<ObjectFacts>, expected: string][] = [
  [
    'a spec that does not exist',
    { messages: [messageOf('missingReference', 'there is no QuotaSpec/shop/x', 'spec.quotaSpecs[0]')] },
    `False SpecNotFound: spec.quotaSpecs[0]: there is no QuotaSpec/shop/x; ${remedyOf('missingReference')}.`,
  ],
  [
    'a service that does not exist',
    { messages: [messageOf('missingService', 'there is no service x.shop', 'spec.services[0]')] },
    `False ServiceNotFound: spec.services[0]: there is no service x.shop; ${remedyOf('missingService')}.`,
  ],
  [
    'a pattern that matches nothing',
    { messages: [messageOf('unusableServicePattern', 'a*b matches nothing')] },
    `False UnusablePattern: a*b matches nothing; ${remedyOf('unusableServicePattern')}.`,
  ],
  [
    'a quota without a limit',
    { messages: [messageOf('unlimitedQuota', 'the policy server has no limit for quota q')] },
    `False QuotaNotLimited: The policy server has no limit for quota q; ${remedyOf('unlimitedQuota')}.`,
  ],
  [
    'nothing that is missing, with other messages',
    { messages: [messageOf('overlappingConditions', 'they overlap')] },
    'True Resolved: All references exist.',
  ],
];

test('ResolvedRefs is Unknown while no analyzers run', (t) => {
  t.is(
    told(factsOf({ isAnalyzed: false }))[1],
    'ResolvedRefs=Unknown NotAnalyzed: References are not checked: NAV_ENABLE_ANALYSIS is false.',
  );
});

for (const [title, facts, expected] of references) {
  test(`ResolvedRefs of an object that names ${title}`, (t) => {
    t.is(told(factsOf(facts))[1], `ResolvedRefs=${expected}`);
  });
}

const distribution: readonly [title: string, facts: Partial<ObjectFacts>, expected: string][] = [
  [
    'some proxies do not have it',
    { progress: progressOf({ ackedProxies: 1 }) },
    'False InProgress: 1/3 proxies up to date.',
  ],
  [
    'a policy server does not have it',
    { progress: progressOf({ policyServers: 2, ackedPolicyServers: 1 }) },
    'False InProgress: 3/3 proxies up to date. 1/2 policy servers up to date.',
  ],
  [
    'policy servers have it too',
    { progress: progressOf({ policyServers: 2, ackedPolicyServers: 2 }) },
    'True UpToDate: 3/3 proxies up to date. 2/2 policy servers up to date.',
  ],
  [
    'an instance of the control plane has not read it',
    { progress: progressOf({ lagging: ['meshd-b'] }) },
    'False InProgress: 3/3 proxies up to date. Not read yet by meshd-b.',
  ],
  [
    'no proxy needs it',
    { progress: progressOf({ proxies: 0, ackedProxies: 0 }) },
    'True NoProxies: 0/0 proxies up to date. No connected proxy needs it.',
  ],
  [
    'a proxy rejected it',
    { progress: progressOf({ ackedProxies: 2, rejections: [rejection('web-1.shop')] }) },
    'False Rejected: 2/3 proxies up to date. web-1.shop rejected it (ecds): no such cluster.',
  ],
  [
    'several proxies rejected it for one reason',
    { progress: progressOf({ ackedProxies: 1, rejections: [rejection('web-2.shop'), rejection('web-1.shop')] }) },
    'False Rejected: 1/3 proxies up to date. web-1.shop; web-2.shop rejected it (ecds): no such cluster.',
  ],
  [
    'a proxy rejected it or another object',
    { progress: progressOf({ ackedProxies: 2, rejections: [rejection('web-1.shop', ['ServiceEntry/shop/b'])] }) },
    'False Rejected: 2/3 proxies up to date. web-1.shop rejected it (ecds): no such cluster (the cause is this object, or one that changed at the same time: ServiceEntry/shop/b).',
  ],
  [
    'proxies rejected it for different reasons',
    { progress: progressOf({ rejections: [rejection('a.shop'), rejection('b.shop', [], 'other')] }) },
    'False Rejected: 3/3 proxies up to date. a.shop rejected it (ecds): no such cluster. And 1 other rejections.',
  ],
  [
    'no proxy checks requests',
    {
      messages: [messageOf('policyNotEnforced', 'it is not enforced')],
      progress: progressOf({ proxies: 0, ackedProxies: 0 }),
    },
    `False NotEnforced: 0/0 proxies up to date. It is not enforced; ${remedyOf('policyNotEnforced')}.`,
  ],
  [
    'the policy servers have a rule that no proxy has to know, also without analyzers',
    {
      key: 'rule/shop/log',
      isAnalyzed: false,
      progress: progressOf({ proxies: 0, ackedProxies: 0, policyServers: 2, ackedPolicyServers: 2 }),
    },
    'True UpToDate: 0/0 proxies up to date. In force at 2/2 policy servers.',
  ],
  [
    'a policy server does not have a rule yet',
    { key: 'rule/shop/limit', progress: progressOf({ policyServers: 2, ackedPolicyServers: 1 }) },
    'False InProgress: 3/3 proxies up to date. In force at 1/2 policy servers.',
  ],
  [
    'policy servers cannot run a handler',
    { key: 'handler/shop/h', messages: [messageOf('handlerNotBuilt', 'params.x is wrong')] },
    `False NotEnforced: 3/3 proxies up to date. params.x is wrong; ${remedyOf('handlerNotBuilt')}.`,
  ],
  [
    'no rule names a handler',
    { key: 'handler/shop/h', messages: [messageOf('unusedRuleObject', 'no rule names this handler')] },
    `False NotBound: 3/3 proxies up to date. No rule names this handler; ${remedyOf('unusedRuleObject')}.`,
  ],
  [
    'no binding names it',
    {
      messages: [messageOf('unboundSpec', 'no QuotaSpecBinding names it')],
      progress: progressOf({ proxies: 0, ackedProxies: 0 }),
    },
    `False NotBound: 0/0 proxies up to date. No QuotaSpecBinding names it; ${remedyOf('unboundSpec')}.`,
  ],
  [
    'an older service has its port',
    { messages: [messageOf('shadowedService', 'port 8080 of the workloads of a.b is served for c.d')] },
    `False Shadowed: 3/3 proxies up to date. Port 8080 of the workloads of a.b is served for c.d; ${remedyOf('shadowedService')}.`,
  ],
  [
    'replicas count its quotas apart',
    { messages: [messageOf('countersNotShared', '2 replicas count in memory')] },
    `False CountersNotShared: 3/3 proxies up to date. 2 replicas count in memory; ${remedyOf('countersNotShared')}.`,
  ],
  [
    'every proxy has it, and a reference is broken',
    { messages: [messageOf('missingReference', 'QuotaSpec/shop/x does not exist', 'spec.quotaSpecs[0]')] },
    `False RefsNotResolved: 3/3 proxies up to date. spec.quotaSpecs[0]: QuotaSpec/shop/x does not exist; ${remedyOf('missingReference')}.`,
  ],
  [
    'a reference is broken, and distribution is not tracked',
    { messages: [messageOf('missingReference', 'QuotaSpec/shop/x does not exist')], progress: undefined },
    `False RefsNotResolved: QuotaSpec/shop/x does not exist; ${remedyOf('missingReference')}.`,
  ],
  [
    'no analyzers run and no proxy has it',
    { isAnalyzed: false, progress: progressOf({ proxies: 0, ackedProxies: 0 }) },
    'Unknown NotAnalyzed: 0/0 proxies up to date. NAV_ENABLE_ANALYSIS is false.',
  ],
  ['no analyzers run and every proxy has it', { isAnalyzed: false }, 'True UpToDate: 3/3 proxies up to date.'],
  [
    'distribution is not tracked',
    { progress: undefined },
    'Unknown NotTracked: The state of the proxies is unknown: NAV_ENABLE_CONFIG_DISTRIBUTION_TRACKING is false.',
  ],
];

for (const [title, facts, expected] of distribution) {
  test(`Reconciled when ${title}`, (t) => {
    t.is(told(factsOf(facts))[2], `Reconciled=${expected}`);
  });
}

test('refused settings appear in the message of every object, whose status stays', (t) => {
  const reason =
    'ConfigMap mesh-system/mesh: data.mesh: line 2: connectTimeout: 10: is a number, not a string; put it in quotes';
  const [, , reconciled = ''] = told(factsOf({ refusedSettings: [reason] }));
  t.is(
    reconciled,
    `Reconciled=True UpToDate: 3/3 proxies up to date. Settings are refused, so their last good content is in force: ${reason}.`,
  );
  const [, , without = ''] = told(factsOf({ refusedSettings: [] }));
  t.is(without, 'Reconciled=True UpToDate: 3/3 proxies up to date.');
});
