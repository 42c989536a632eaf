import test from 'ava';
import { createLineLocator } from '../../../src/config/yaml/line-locator.js';

const text = `kind: X
metadata:
  name: name
  labels:
    "a.b/c": d
spec:
  ports:
    - number: 80
      name: http

    - number: 90
      name: tcp
  flow: {a: [1,
    2], b: 3}
  "quoted key": x
`;

const lineOf = createLineLocator(text);

const expected: readonly (readonly [string, number])[] = [
  ['', 1],
  ['kind', 1],
  ['metadata', 2],
  ['metadata.name', 3],
  ['metadata.labels["a.b/c"]', 5],
  ['spec.ports[0].number', 8],
  ['spec.ports[0].name', 9],
  ['spec.ports[1]', 11],
  ['spec.ports[1].name', 12],
  ['spec.flow.a[1]', 14],
  ['spec.flow.b', 14],
  ['spec["quoted key"]', 15],
  ['spec.ports[1].missing', 11],
  ['spec.ports[7].name', 7],
  ['nothing.at.all', 1],
];

for (const [path, line] of expected) {
  test(`"${path}" is on line ${line}`, (t) => {
    t.is(lineOf(path), line);
  });
}

test('JSON has lines too', (t) => {
  t.is(createLineLocator('{\n  "a": {\n    "b": [1,\n      {"c": 2}]\n  }\n}\n')('a.b[1].c'), 4);
});
