import test from 'ava';
import { isSameShapes, type QuotaShapes } from '../../../../src/model/policy/fast/quota-shapes.js';
import { MAX_SHAPES_LENGTH, readShapesText, shapesText } from '../../../../src/model/policy/fast/shapes-text.js';

const SHAPES: QuotaShapes = new Map([
  ['requests', { dimensions: ['request.api_key', 'source.ip'], hasKeyList: false }],
  ['listed', { dimensions: [], hasKeyList: true }],
]);

test('the forms of limits survive the way to the control plane', (t) => {
  const read = readShapesText(shapesText(SHAPES));
  t.true(read !== undefined && isSameShapes(read, SHAPES));
});

test('forms are the same in any order, and differ by dimensions', (t) => {
  t.true(isSameShapes(SHAPES, new Map([...SHAPES].reverse())));
  t.false(isSameShapes(SHAPES, new Map([...SHAPES, ['more', { dimensions: [], hasKeyList: false }]])));
});

for (const text of ['', 'null', '[]', '{"a":1}', '{"a":[1]}', '{"a":"b"}', '{', 'x'.repeat(MAX_SHAPES_LENGTH + 1)]) {
  test(`the control plane takes no forms from ${text.slice(0, 20)}`, (t) => {
    t.is(readShapesText(text), undefined);
  });
}
