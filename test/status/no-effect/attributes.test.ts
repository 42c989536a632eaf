import test from 'ava';
import { ATTRIBUTE_VOCABULARY, type VocabularyEntry } from '../../../src/config/attributes/attribute-vocabulary.js';
import type { Manifest } from './base-mesh.js';
import { type Case, type CaseChange, caseOf, specWith } from './case-mesh.js';
import { findSilence } from './find-silence.js';
import { startObservers } from './observers.js';

const WITHOUT_TEXT: readonly string[] = ['int64', 'bool', 'timestamp', 'duration'];
const NO_VALUE = 'no-such-value';

/** A name similar to that of an attribute. */
const misspelt = ({ name }: VocabularyEntry): string => `${name}z`;

/** A condition on the attribute that no request meets; undefined if every text can meet it. */
function unmetCondition({ known, type, values, neverBegins, form, setBy }: VocabularyEntry): object | undefined {
  if (known === 'report' || type === 'stringMap' || WITHOUT_TEXT.includes(type)) return { exact: NO_VALUE };
  if (values !== undefined || type === 'bytes') return { exact: NO_VALUE };
  if (neverBegins !== undefined) return { prefix: neverBegins };
  if (form === 'method') return { exact: 'get' };
  if (form !== undefined || setBy === 'HTTPAPISpec') return { exact: NO_VALUE };
  return undefined;
}

function clauseCases(entry: VocabularyEntry): readonly CaseChange[] {
  const inClause = (written: string, condition: object): CaseChange => ({
    title: `a clause on ${written} with ${JSON.stringify(condition)}`,
    kind: 'QuotaSpec',
    at: `spec.rules[0].match[0].clause[${JSON.stringify(written)}]`,
    shown: written.replace(/\[.*/, ''),
    spec: (specs) => specWith(specs, 'QuotaSpec', 'rules[].match[].clause', () => ({ [written]: condition })),
  });
  const unmet = unmetCondition(entry);
  return [
    inClause(misspelt(entry), { regex: '.*' }),
    ...(entry.type === 'stringMap' ? [] : [inClause(`${entry.name}[key]`, { exact: NO_VALUE })]),
    ...(unmet === undefined ? [] : [inClause(entry.name, unmet)]),
  ];
}

/** Dimensions of a quota without an effect. Whole maps and numbers do distinguish callers. */
function uselessDimensions(entry: VocabularyEntry): readonly string[] {
  const { name, known, type, isUnique = false } = entry;
  return [
    misspelt(entry),
    ...(type === 'stringMap' ? [] : [`${name}[key]`]),
    ...(known === 'report' || isUnique ? [name] : []),
  ];
}

/** A spec charges a quota with this dimension. */
function dimensionCase(dimension: string): CaseChange {
  return {
    title: `the dimension ${dimension}`,
    kind: 'QuotaSpec',
    at: 'spec.rules[0].quotas[0].quota',
    shown: dimension.replace(/\[.*/, ''),
    spec: (specs) => specWith(specs, 'QuotaSpec', 'rules[].quotas[].quota', () => `by ${dimension}`),
  };
}

/** An HTTPAPISpec can set any attribute except those that reports set. */
function apiCases({ name, known }: VocabularyEntry): readonly CaseChange[] {
  if (known === 'check') return [];
  const path = 'patterns[].attributes.attributes';
  return [
    {
      title: `an HTTPAPISpec that sets ${name}`,
      kind: 'HTTPAPISpec',
      at: `spec.patterns[0].attributes.attributes[${JSON.stringify(name)}]`,
      shown: name,
      spec: (specs) =>
        specWith(specs, 'HTTPAPISpec', path, (old) => ({ ...(old as object), [name]: { stringValue: 'x' } })),
    },
  ];
}

const DIMENSIONS = ATTRIBUTE_VOCABULARY.flatMap(uselessDimensions);
const QUOTAS = DIMENSIONS.map((dimension) => [`by ${dimension}`, [dimension]] as const);
const ENFORCEMENT = {
  isPluginOn: true,
  limitedQuotas: new Map(['requests', 'others', ...QUOTAS.map(([quota]) => quota)].map((quota) => [quota, 1000])),
  quotaDimensions: new Map<string, readonly string[]>(QUOTAS),
};

const CASES: readonly Case[] = [
  ...ATTRIBUTE_VOCABULARY.flatMap(clauseCases),
  ...DIMENSIONS.map(dimensionCase),
  ...ATTRIBUTE_VOCABULARY.flatMap(apiCases),
].map(caseOf);

test('admission, analysis and status report every use of an attribute without effect, in each place for its name', async (t) => {
  t.true(CASES.length > 4 * ATTRIBUTE_VOCABULARY.length, `${CASES.length} cases`);
  const ask = await startObservers(
    t,
    CASES.flatMap(({ all }): readonly Manifest[] => all),
    ENFORCEMENT,
  );
  const silent: string[] = [];
  for (const each of CASES) {
    silent.push(...findSilence(await ask(each.manifest), each).map((problem) => `${each.title}: ${problem}`));
  }
  t.deepEqual(silent, []);
});
