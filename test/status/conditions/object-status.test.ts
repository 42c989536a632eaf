import test from 'ava';
import { MESSAGE_CODES } from '../../../src/status/analysis/message-codes.js';
import type { Condition } from '../../../src/status/conditions/condition.js';
import {
  isInPlace,
  judgeObject,
  nextConditions,
  objectStatus,
  validationMessagesOf,
} from '../../../src/status/conditions/object-status.js';
import { factsOf, messageOf, progressOf } from './support.js';

const FIRST = new Date('2026-01-01T00:00:00.123Z');
const LATER = new Date('2026-01-01T00:05:00.456Z');

function conditionsAt(now: Date, previous: readonly Condition[], ackedProxies: number, generation = 2) {
  const facts = factsOf({ generation, servedGeneration: generation, progress: progressOf({ ackedProxies }) });
  return nextConditions(judgeObject(facts) ?? [], generation, previous, now);
}

const ofType = (conditions: readonly Condition[], type: string): Condition | undefined =>
  conditions.find((condition) => condition.type === type);

test('equal facts leave the conditions and their times unchanged, so that nothing is written', (t) => {
  const first = conditionsAt(FIRST, [], 3);
  const again = conditionsAt(LATER, first, 3);
  t.deepEqual(again, first);
  t.true(isInPlace({ conditions: again }, { conditions: first }));
  t.is(first[0]?.lastTransitionTime, '2026-01-01T00:00:00Z');
});

test('a changed message is written and keeps the time of the last transition', (t) => {
  const first = conditionsAt(FIRST, [], 1);
  const next = conditionsAt(LATER, first, 2);
  t.like(ofType(next, 'Reconciled'), {
    status: 'False',
    message: '2/3 proxies up to date.',
    lastTransitionTime: '2026-01-01T00:00:00Z',
    lastProbeTime: '2026-01-01T00:05:00Z',
  });
  t.false(isInPlace({ conditions: next }, { conditions: first }));
});

test('a changed status gets a new transition time, and the other conditions keep theirs', (t) => {
  const next = conditionsAt(LATER, conditionsAt(FIRST, [], 1), 3);
  t.like(ofType(next, 'Reconciled'), { status: 'True', lastTransitionTime: '2026-01-01T00:05:00Z' });
  t.like(ofType(next, 'Accepted'), {
    lastTransitionTime: '2026-01-01T00:00:00Z',
    lastProbeTime: '2026-01-01T00:00:00Z',
  });
});

test('conditions of a new generation name it and keep the transition times of unchanged statuses', (t) => {
  const next = conditionsAt(LATER, conditionsAt(FIRST, [], 3), 3, 3);
  t.deepEqual(
    next.map(({ observedGeneration, lastTransitionTime }) => [observedGeneration, lastTransitionTime]),
    [
      [3, '2026-01-01T00:00:00Z'],
      [3, '2026-01-01T00:00:00Z'],
      [3, '2026-01-01T00:00:00Z'],
    ],
  );
});

test('conditions of another writer cause no write', (t) => {
  const ours = conditionsAt(FIRST, [], 3);
  const theirs: Condition = { ...(ours[0] as Condition), type: 'Audited', reason: 'Ok', message: '' };
  t.true(isInPlace({ conditions: ours }, { conditions: [theirs, ...ours] }));
  t.deepEqual(conditionsAt(LATER, [theirs, ...ours], 3), ours);
});

test('a foreign change of our conditions is corrected', (t) => {
  const ours = conditionsAt(FIRST, [], 3);
  const changed = ours.map((condition) => ({ ...condition, message: 'mine' }));
  t.false(isInPlace({ conditions: conditionsAt(LATER, changed, 3) }, { conditions: changed }));
});

test('messages of analysis become validation messages with their field, and disappear with the last message', (t) => {
  const messages = [messageOf('unlimitedQuota', 'the policy server has no limit for quota q', 'spec.rules[0]')];
  const found = validationMessagesOf(messages);
  t.deepEqual(found, [
    {
      code: 'MESH0208',
      level: 'Warn',
      message: `spec.rules[0]: the policy server has no limit for quota q; ${MESSAGE_CODES.unlimitedQuota.remedy}`,
    },
  ]);
  const clean = objectStatus(undefined, validationMessagesOf([]));
  t.deepEqual(clean, {});
  t.false(isInPlace(clean, { validationMessages: found ?? [] }));
  t.true(isInPlace(clean, {}));
});

test('at most as many messages are written as the API server accepts', (t) => {
  const many = Array.from({ length: 300 }, (_, index) => messageOf('unlimitedQuota', `quota ${index}`));
  t.is(validationMessagesOf(many)?.length, 256);
});
