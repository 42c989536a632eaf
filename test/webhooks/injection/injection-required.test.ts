import test from 'ava';
import type { LabelSelector } from '../../../src/config/injection/label-selector.js';
import type { InjectionDecision } from '../../../src/webhooks/injection/inject.js';
import { decide, type Given, podOf } from './support/injection.js';

const outcome = (decision: InjectionDecision): string => (decision.type === 'skip' ? decision.reason : 'inject');
const inject = (value: string) => podOf({ annotations: { 'sidecar.mesh.internal/inject': value } });
const labelled = (key: string, value: string): LabelSelector => ({
  matchLabels: { [key]: value },
  matchExpressions: [],
});
const WEB = labelled('app', 'web');

const rows: readonly (readonly [title: string, pod: unknown, given: Given, expected: string])[] = [
  ['a pod without an annotation is injected by the policy enabled', podOf(), {}, 'inject'],
  [
    'a pod on the network of its node is skipped, with any annotation',
    podOf({ annotations: { 'sidecar.mesh.internal/inject': 'true' } }, { hostNetwork: true }),
    {},
    'HOST_NETWORK',
  ],
  [
    'kube-system is skipped, with any annotation',
    inject('true'),
    { request: { namespace: 'kube-system' } },
    'SYSTEM_NAMESPACE',
  ],
  ['kube-public is skipped', podOf(), { request: { namespace: 'kube-public' } }, 'SYSTEM_NAMESPACE'],
  ...['y', 'yes', 'true', 'on', 'Y', 'YES', 'True', 'oN'].map(
    (value) =>
      [
        `annotation ${value} means yes where the policy is disabled`,
        inject(value),
        { config: { policy: 'disabled' } },
        'inject',
      ] as const,
  ),
  ...['n', 'no', 'false', 'off', '1', 'whatever', ' true'].map(
    (value) => [`annotation "${value}" means no where the policy is enabled`, inject(value), {}, 'ANNOTATION'] as const,
  ),
  ['an empty annotation leaves the decision to the policy enabled', inject(''), {}, 'inject'],
  [
    'an empty annotation says nothing: policy disabled',
    inject(''),
    { config: { policy: 'disabled' } },
    'POLICY_DISABLED',
  ],
  [
    'a neverInjectSelector that matches skips',
    podOf(),
    { config: { neverInjectSelector: [labelled('app', 'other'), WEB] } },
    'NEVER_INJECT_SELECTOR',
  ],
  [
    'neverInjectSelector goes before alwaysInjectSelector',
    podOf(),
    { config: { neverInjectSelector: [WEB], alwaysInjectSelector: [WEB] } },
    'NEVER_INJECT_SELECTOR',
  ],
  [
    'an annotation goes before neverInjectSelector',
    inject('yes'),
    { config: { neverInjectSelector: [WEB] } },
    'inject',
  ],
  [
    'an annotation goes before alwaysInjectSelector',
    inject('no'),
    { config: { alwaysInjectSelector: [WEB] } },
    'ANNOTATION',
  ],
  [
    'alwaysInjectSelector injects where the policy is disabled',
    podOf(),
    { config: { policy: 'disabled', alwaysInjectSelector: [WEB] } },
    'inject',
  ],
  [
    'a selector without requirements matches nothing',
    podOf(),
    { config: { neverInjectSelector: [{ matchLabels: {}, matchExpressions: [] }] } },
    'inject',
  ],
  [
    'the policy disabled skips a pod without an annotation',
    podOf(),
    { config: { policy: 'disabled' } },
    'POLICY_DISABLED',
  ],
  [
    'another policy never injects, with any annotation',
    inject('true'),
    { config: { policy: 'sometimes' } },
    'POLICY_UNKNOWN',
  ],
  [
    'a pod that exists is skipped, for containers cannot be added to it',
    podOf(),
    { request: { operation: 'UPDATE' } },
    'NOT_CREATED',
  ],
];

for (const [title, pod, given, expected] of rows) {
  test(title, (t) => {
    t.is(outcome(decide(pod, given)), expected);
  });
}

const expressions: readonly (readonly [
  operator: LabelSelector['matchExpressions'][number]['operator'],
  values: readonly string[],
  labels: Record<string, string>,
  matches: boolean,
])[] = [
  ['In', ['a', 'b'], { tier: 'b' }, true],
  ['In', ['a', 'b'], { tier: 'c' }, false],
  ['In', ['a', 'b'], {}, false],
  ['NotIn', ['a'], { tier: 'b' }, true],
  ['NotIn', ['a'], { tier: 'a' }, false],
  ['NotIn', ['a'], {}, true],
  ['Exists', [], { tier: '' }, true],
  ['Exists', [], {}, false],
  ['DoesNotExist', [], {}, true],
  ['DoesNotExist', [], { tier: 'a' }, false],
];

for (const [operator, values, labels, matches] of expressions) {
  test(`${operator} [${values}] ${matches ? 'matches' : 'does not match'} ${JSON.stringify(labels)}`, (t) => {
    const selector = { matchLabels: {}, matchExpressions: [{ key: 'tier', operator, values }] };
    const decision = decide(podOf({ labels }), { config: { neverInjectSelector: [selector] } });
    t.is(outcome(decision), matches ? 'NEVER_INJECT_SELECTOR' : 'inject');
  });
}

test('an annotation that means neither yes nor no causes a warning with the remedy', (t) => {
  for (const value of ['whatever', '1', ' true']) {
    const decision = decide(inject(value), {});
    t.deepEqual(decision.type === 'skip' ? decision.warnings : undefined, [
      'the pod gets no sidecar: its annotation sidecar.mesh.internal/inject has a value that means neither yes nor no; use "true" or "false"',
    ]);
  }
  for (const value of ['no', 'False']) {
    t.deepEqual(decide(inject(value), {}), { type: 'skip', reason: 'ANNOTATION' });
  }
});
