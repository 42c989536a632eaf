import test from 'ava';
import { referenceTargets } from '../../../src/config/policy-rules/object-reference.js';

const CASES: readonly (readonly [written: string, targets: readonly string[]])[] = [
  ['refuse', ['shop/refuse']],
  ['refuse.handler', ['shop/refuse.handler', 'shop/refuse', 'handler/refuse']],
  ['refuse.web', ['shop/refuse.web', 'web/refuse']],
  ['refuse.handler.web', ['shop/refuse.handler.web', 'web/refuse']],
  ['a.b.handler.web', ['shop/a.b.handler.web', 'web/a.b']],
  ['a.b.web', ['shop/a.b.web', 'web/a.b']],
];

for (const [written, targets] of CASES) {
  test(`${written} can mean ${targets.join(', ')}`, (t) => {
    t.deepEqual(
      referenceTargets(written, 'handler', 'shop').map(({ namespace, name }) => `${namespace}/${name}`),
      targets,
    );
  });
}
