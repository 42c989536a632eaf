import test from 'ava';
import { createKindRegistry } from '../../../src/config/kinds.js';
import type { RegexCheck } from '../../../src/config/policy/regex.js';
import { createRegexCheckMemo } from '../../../src/config/policy/regex-check-memo.js';

function createRig() {
  const checked: string[] = [];
  const check = createRegexCheckMemo((text): RegexCheck => {
    checked.push(text);
    return { type: 'regex', size: text.length };
  });
  return { check, checked };
}

test('a regular expression is compiled once', (t) => {
  const { check, checked } = createRig();
  t.deepEqual(
    [check('a+'), check('bb'), check('a+')],
    [2, 2, 2].map((size) => ({ type: 'regex', size })),
  );
  t.deepEqual(checked, ['a+', 'bb']);
});

test('what was not asked for longest is forgotten beyond 4,096', (t) => {
  const { check, checked } = createRig();
  for (let index = 0; index < 4096; index++) check(`${index}`);
  check('0');
  check('one more');
  checked.length = 0;
  check('0');
  check('2');
  t.deepEqual(checked, []);
  check('1');
  t.deepEqual(checked, ['1']);
});

test('a bad expression is told each time, and the sizes of one object together stay bounded', (t) => {
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
    t.deepEqual(read(Array.from({ length: 300 }, () => 'x{900}')), [
      'is one regular expression too many: together they are too large',
    ]);
  }
});
