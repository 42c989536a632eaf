import test from 'ava';
import { kinds } from '../../webhooks/fixtures/ask.js';
import { baseSpecs } from './base-mesh.js';
import { type Case, caseOf, specWith } from './case-mesh.js';
import { ALWAYS_EFFECTIVE, EFFECTIVE_VALUES, TOLD_ELSEWHERE } from './effective-values.js';
import { findSilence, isTold } from './find-silence.js';
import { mutationsOf } from './mutations.js';
import { startObservers } from './observers.js';
import { placeOf, placeText } from './plant-value.js';
import { fieldsOf, type SchemaField } from './schema-fields.js';
import { SPECIAL_VALUES } from './special-values.js';

const ENFORCEMENT = {
  isPluginOn: true,
  limitedQuotas: new Map([
    ['requests', 1000],
    ['others', 1000],
  ]),
  quotaDimensions: new Map([['requests', ['request.api_key']]]),
};

const FIELDS = kinds.definitions.filter(({ kind }) => kind in baseSpecs('any')).flatMap(fieldsOf);

const nameOf = ({ kind, path }: Pick<SchemaField, 'kind' | 'path'>): string => `${kind} ${path}`;

interface FieldCase extends Case {
  readonly fields: readonly string[];
  readonly effect: string | undefined;
}

const GENERATED: readonly FieldCase[] = FIELDS.flatMap((field) =>
  mutationsOf(field.schema).map((mutation) => ({ field, mutation })),
).map(({ field, mutation }, number): FieldCase => {
  const { kind, path } = field;
  const title = `${nameOf(field)} ${mutation.name}`;
  const at = TOLD_ELSEWHERE.get(title) ?? placeText(placeOf(baseSpecs('any')[kind], path) ?? []);
  const spec = (specs: ReturnType<typeof baseSpecs>) => specWith(specs, kind, path, mutation.change);
  const made = caseOf({ title, kind, at, shown: mutation.shown, spec }, number);
  return { ...made, fields: [nameOf(field)], effect: EFFECTIVE_VALUES.get(title) };
});

const SPECIAL: readonly FieldCase[] = SPECIAL_VALUES.map((value, index) => ({
  ...caseOf(value, GENERATED.length + index),
  fields: value.fields.map((path) => nameOf({ kind: value.kind, path })),
  effect: undefined,
}));

const CONTROL = Object.keys(baseSpecs('any')).map((kind, index) =>
  caseOf({ title: kind, kind, at: '', spec: (specs) => specs[kind] }, GENERATED.length + SPECIAL.length + index),
);

test('admission, analysis and status report every value without effect, for every field of the kinds of quotas, APIs and plans', async (t) => {
  const cases = [...GENERATED, ...SPECIAL];
  const all = [...cases, ...CONTROL].flatMap(({ all: objects }) => objects);
  const ask = await startObservers(t, all, ENFORCEMENT);
  for (const { title, manifest } of CONTROL) {
    const { admission, analysis } = await ask(manifest);
    t.deepEqual({ admission, analysis }, { admission: [], analysis: [] }, `${title} of the base mesh is in order`);
  }
  const idle = new Set<string>();
  const silent: string[] = [];
  for (const each of cases) {
    const told = await ask(each.manifest);
    if (each.effect !== undefined) {
      if (isTold(told)) silent.push(`${each.title} has an effect, ${each.effect}: ${JSON.stringify(told.analysis)}`);
      continue;
    }
    silent.push(...findSilence(told, each).map((problem) => `${each.title}: ${problem}`));
    for (const field of each.fields) idle.add(field);
  }
  t.deepEqual(silent, []);
  const undecided = FIELDS.map(nameOf).filter((field) => !idle.has(field) && !ALWAYS_EFFECTIVE.has(field));
  t.deepEqual(undecided, [], 'fields that are in no table: say which of their values have no effect');
});

test('the tables of exceptions name only existing fields and generated values', (t) => {
  const fields = new Set(FIELDS.map(nameOf));
  const named = [...SPECIAL.flatMap(({ fields: of }) => of), ...ALWAYS_EFFECTIVE.keys()];
  t.deepEqual(
    named.filter((field) => !fields.has(field)),
    [],
  );
  const titles = new Set(GENERATED.map(({ title }) => title));
  t.deepEqual(
    [...EFFECTIVE_VALUES.keys(), ...TOLD_ELSEWHERE.keys()].filter((title) => !titles.has(title)),
    [],
  );
});
