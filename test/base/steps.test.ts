import test from 'ava';
import { collectInSteps, createStepsByObject, inOneStep, type Steps } from '../../src/base/steps.js';

function* count(steps: number, onBegin: () => void): Steps<number> {
  onBegin();
  for (let step = 0; step < steps; step++) yield;
  return steps;
}

test('items are collected with a pause after every few of them', (t) => {
  const steps = collectInSteps([1, 2, 3, 4, 5], 2);
  let pauses = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) {
      t.deepEqual(step.value, [1, 2, 3, 4, 5]);
      break;
    }
    pauses++;
  }
  t.is(pauses, 2);
});

test('callers that want the same result at once make it together, and later ones make it again', (t) => {
  let begun = 0;
  const works = createStepsByObject<object, number>();
  const key = {};
  const follow = () => works.follow(key, () => count(3, () => begun++));
  const [first, second] = [follow(), follow()];
  first.next();
  second.next();
  t.is(inOneStep(first), 3);
  t.is(inOneStep(second), 3);
  t.is(begun, 1);
  t.is(inOneStep(follow()), 3);
  t.is(begun, 2);
});

test('a computation that fails, fails for all of its callers, and can be begun again', (t) => {
  const works = createStepsByObject<object, number>();
  const key = {};
  const failing = function* (): Steps<number> {
    yield;
    throw new Error('failed');
  };
  const [first, second] = [works.follow(key, failing), works.follow(key, failing)];
  first.next();
  second.next();
  t.throws(() => inOneStep(first), { message: 'failed' });
  t.throws(() => inOneStep(second), { message: 'failed' });
  t.is(inOneStep(works.follow(key, () => count(1, () => undefined))), 1);
});
