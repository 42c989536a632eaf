import test from 'ava';
import { MESSAGE_CODES } from '../../../src/status/analysis/message-codes.js';
import type { Condition } from '../../../src/status/conditions/condition.js';
import { isInPlace, judgeObject, nextConditions, objectStatus } from '../../../src/status/conditions/object-status.js';
import { validationMessagesOf } from '../../../src/status/conditions/validation-messages.js';
import { factsOf, messageOf, progressOf } from './support.js';

const FIRST = new Date('2026-01-01T00:00:00.123Z');
const LATER = new Date('2026-01-01T00:05:00.456Z');

function conditionsAt(now: Date, previous: readonly Condition[], ackedProxies: number, generation = 2) {
  const facts = factsOf({ generation, servedGeneration: generation, progress: progressOf({ ackedProxies }) });
  return nextConditions(judgeObject(facts) ?? [], generation, previous, now);
}

const ofType = (conditions: readonly Condition[], type: string): Condition | undefined =>
  conditions.find((condition) => condition.type === type);

test('equal facts give the conditions that are there, with their times, so that nothing is written', (t) => {
  const first = conditionsAt(FIRST, [], 3);
  const again = conditionsAt(LATER, first, 3);
  t.deepEqual(again, first);
  t.true(isInPlace({ conditions: again }, { conditions: first }));
  t.is(first[0]?.lastTransitionTime, '2026-01-01T00:00:00Z');
});

test('a message that changes leaves the time of the last transition, and is written', (t) => {
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

test('a status that changes has its time, and the conditions beside it keep theirs', (t) => {
  const next = conditionsAt(LATER, conditionsAt(FIRST, [], 1), 3);
  t.like(ofType(next, 'Reconciled'), { status: 'True', lastTransitionTime: '2026-01-01T00:05:00Z' });
  t.like(ofType(next, 'Accepted'), {
    lastTransitionTime: '2026-01-01T00:00:00Z',
    lastProbeTime: '2026-01-01T00:00:00Z',
  });
});

test('conditions of a new generation say so, and keep the times of what has not changed', (t) => {
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

test("another writer's conditions are no reason to write", (t) => {
  const ours = conditionsAt(FIRST, [], 3);
  const theirs: Condition = { ...(ours[0] as Condition), type: 'Audited', reason: 'Ok', message: '' };
  t.true(isInPlace({ conditions: ours }, { conditions: [theirs, ...ours] }));
  t.deepEqual(conditionsAt(LATER, [theirs, ...ours], 3), ours);
});

test('what somebody else changed in our conditions is put right', (t) => {
  const ours = conditionsAt(FIRST, [], 3);
  const changed = ours.map((condition) => ({ ...condition, message: 'mine' }));
  t.false(isInPlace({ conditions: conditionsAt(LATER, changed, 3) }, { conditions: changed }));
});

test('messages of analysis become validation messages with their field and without an address, and are gone with the last', (t) => {
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

test('no more messages are written than the API server takes', (t) => {
  const many = Array.from({ length: 300 }, (_, index) => messageOf('unlimitedQuota', `quota ${index}`));
  t.is(validationMessagesOf(many)?.length, 256);
});
