import test from 'ava';
import { frameResource } from '../../src/envoy/message-encoder.js';
import { createResourceSet } from '../../src/envoy/resource-set.js';
import { createPartMemory, type GeneratedPart } from '../../src/push/part-memory.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { eventually } from '../support/eventually.js';

const part = (resources: number): GeneratedPart => ({
  set: createResourceSet(
    Array.from({ length: resources }, (_, index) => frameResource('type', `${index}`, Buffer.alloc(0))),
  ),
  findings: [],
});

test('the newest parts are remembered though no proxy has them', (t) => {
  const memory = createPartMemory({ parts: 2, resources: 100 });
  for (const key of ['a', 'b', 'c']) memory.keep(key, part(1));
  collectGarbage();
  t.truthy(memory.get('b'));
  t.truthy(memory.get('c'));
});

for (const [what, limits] of [
  ['parts', { parts: 2, resources: 1_000 }],
  ['resources in parts', { parts: 1_000, resources: 20 }],
] as const) {
  test(`beyond the limit of ${what} a part is forgotten when no proxy has it`, async (t) => {
    const memory = createPartMemory(limits);
    memory.keep('gone', part(10));
    memory.keep('b', part(10));
    memory.keep('c', part(10));
    await eventually('it is forgotten', () => {
      collectGarbage();
      return memory.get('gone') === undefined;
    });
    t.truthy(memory.get('b'));
  });
}

test('beyond the limit a part is found while a proxy has its set', async (t) => {
  const memory = createPartMemory({ parts: 1, resources: 1_000 });
  const { set } = (() => {
    const first = part(1);
    memory.keep('first', first);
    return first;
  })();
  memory.keep('second', part(1));
  // Garbage is collected between turns of the event loop as well.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  t.is(memory.get('first')?.set, set);
  t.is([...memory.values()].length, 2);
});
