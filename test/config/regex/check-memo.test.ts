import test from 'ava';
import { createKindRegistry } from '../../../src/config/kinds.js';
import type { RegexCheck } from '../../../src/config/regex/check-regex.js';
import { createCheckMemo } from '../../../src/config/regex/check-regex.js';

function createRig() {
  const checked: string[] = [];
  const check = createCheckMemo((text): RegexCheck => {
    checked.push(text);
    return { type: 'regex', bytes: text.length };
  });
  return { check, checked };
}

test('a regular expression is checked only once', (t) => {
  const { check, checked } = createRig();
  t.deepEqual(
    [check('a+'), check('bb'), check('a+')],
    [2, 2, 2].map((bytes) => ({ type: 'regex', bytes })),
  );
  t.deepEqual(checked, ['a+', 'bb']);
});

test('the last 2,048 results are cached, and older ones are dropped', (t) => {
  const { check, checked } = createRig();
  const ask = (from: number, to: number): readonly string[] => {
    checked.length = 0;
    for (let index = from; index < to; index++) check(`${index}`);
    return [...checked];
  };
  t.is(ask(0, 2048).length, 2048);
  t.deepEqual(ask(0, 2048), []);
  t.is(ask(2048, 4096).length, 2048);
  t.deepEqual(ask(2048, 4096), []);
  // This older result was used again, so it is among the last.
  t.deepEqual(ask(7, 8), []);
  t.is(ask(4096, 4096 + 2047).length, 2047);
  t.deepEqual(ask(7, 8), []);
  t.deepEqual(ask(8, 9), ['8']);
});

test('an invalid expression is reported each time, and the sum of an object stays limited', (t) => {
  const kinds = createKindRegistry('mesh.internal');
  const read = (regexes: readonly string[]) => {
    const rules = regexes.map((regex) => ({ match: [{ clause: { a: { regex } } }], quotas: [{ quota: 'q' }] }));
    const object = {
      apiVersion: 'config.mesh.internal/v1alpha2',
      kind: 'QuotaSpec',
      metadata: { name: 'a' },
      spec: { rules },
    };
    const result = kinds.read(object, { defaultNamespace: 'shop' });
    return result.type === 'invalid' ? result.violations.map(({ message }) => message) : [];
  };
  for (let time = 0; time < 2; time++) {
    t.deepEqual(read(['(']), ['is not a regular expression: missing closing ): `(`']);
    t.deepEqual(read(Array.from({ length: 300 }, (_, index) => `${index}x{900}`)), [
      'brings the regular expressions of this object to 8235 KiB once they are compiled, more than their 8192 KiB',
    ]);
  }
});
