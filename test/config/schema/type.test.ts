import test from 'ava';
import { Type as TypeBox } from 'typebox';
import { Type } from '../../../src/config/schema/type.js';

/** One of everything, made by either. */
const schemasOf = (make: typeof Type) => {
  const shared = make.String({ description: 'shared', default: '' });
  return {
    text: shared,
    optionalText: make.Object({ once: make.Optional(shared), again: shared }),
    nothingRequired: make.Object({ a: make.Optional(make.Boolean({ default: true })) }, { description: 'd' }),
    empty: make.Object({}, { additionalProperties: false }),
    nested: make.Object({ list: make.Array(make.Object({ n: make.Integer({ minimum: 1 }) }), { minItems: 1 }) }),
    number: make.Number({ minimum: 0.5 }),
    enumeration: make.Enum(['A', 'B'], { default: 'A' }),
    record: make.Record(make.String(), make.Array(make.String()), { default: {} }),
    union: make.Union([make.Integer(), make.String()], { description: 'either' }),
    anything: make.Optional(make.Unknown({ description: 'whatever' })),
    plain: make.Unknown(),
    own: make.Unsafe<string>({ type: 'string', pattern: '^a' }),
  };
};

test('schemas are those that TypeBox makes', (t) => {
  const [ours, theirs] = [schemasOf(Type), schemasOf(TypeBox)];
  for (const [name, schema] of Object.entries(theirs)) {
    const own: unknown = ours[name as keyof typeof ours];
    // Fields in the same order, too: it is that of generated CRDs and documents.
    t.is(JSON.stringify(own), JSON.stringify(schema), name);
  }
});
