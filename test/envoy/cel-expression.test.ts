import test from 'ava';
import { buildParsedExpr, type CelExpression } from '../../src/envoy/cel-expression.js';

const NAME = 'uri_san_peer_certificate';
const HAS: CelExpression = { type: 'has', object: 'connection', name: NAME };
const VALUE: CelExpression = { type: 'attribute', object: 'connection', name: NAME };
const text = (value: string): CelExpression => ({ type: 'text', text: value });

test('an expression is a tree of numbered parts', (t) => {
  t.deepEqual(buildParsedExpr({ type: 'startsWith', value: VALUE, prefix: text('a"b') }), {
    expr: {
      id: 4,
      callExpr: {
        target: {
          id: 2,
          selectExpr: { operand: { id: 1, identExpr: { name: 'connection' } }, field: NAME, testOnly: false },
        },
        function: 'startsWith',
        args: [{ id: 3, constExpr: { stringValue: 'a"b' } }],
      },
    },
  });
});

test('a choice asks whether there is a value, and no two parts have the same number', (t) => {
  const compared: CelExpression = { type: 'equals', left: VALUE, right: text('a') };
  const written = JSON.stringify(buildParsedExpr({ type: 'choice', when: HAS, yes: compared, no: compared }));
  t.regex(written, /"testOnly":true/);
  t.regex(written, /"_\?_:_"/);
  t.is(written.match(/"_==_"/g)?.length, 2);
  const numbers = [...written.matchAll(/"id":(\d+)/g)].map(([, id]) => id);
  t.is(new Set(numbers).size, numbers.length);
});
