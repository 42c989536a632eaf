import { readFileSync } from 'node:fs';
import test from 'ava';
import { kindsOfAnnotation } from '../../../src/status/analysis/known-annotations.js';

test('analysis knows the annotations of docs/annotations.md, each of the kinds of its section', (t) => {
  const page = readFileSync(new URL('../../../../docs/annotations.md', import.meta.url), 'utf8');
  const documented = page.split(/^## /m).flatMap((section) => {
    const [heading = ''] = section.split('\n');
    const names = [...section.matchAll(/^\| `([a-zA-Z.]+\.mesh\.internal\/[A-Za-z-]+)`/gm)].map(
      ([, name = '']) => name,
    );
    return names.map((name) => [name, heading.split(' and ')] as const);
  });
  t.true(documented.length > 20);
  for (const [name, kinds] of documented) t.deepEqual(kindsOfAnnotation(name, 'mesh.internal'), kinds, name);
});
