import test from 'ava';
import { readObject, readYaml, refusalsOf } from '../support/read-yaml.js';

function quotaSpec(spec: string): string {
  return `{apiVersion: config.mesh.internal/v1alpha2, kind: QuotaSpec, metadata: {name: q}, spec: ${spec}}`;
}

function matching(match: string): string {
  return quotaSpec(`{rules: [{match: [${match}], quotas: [{quota: requests}]}]}`);
}

test('a QuotaSpec is read with its defaults: no match, a charge of 1', (t) => {
  t.deepEqual(readObject(quotaSpec('{rules: [{quotas: [{quota: requests}]}]}')).body, {
    rules: [{ match: [], quotas: [{ quota: 'requests', charge: 1 }] }],
  });
});

const accepted: readonly (readonly [string, string])[] = [
  ['an exact match', matching('{clause: {request.path: {exact: /a}}}')],
  ['a prefix match', matching('{clause: {request.path: {prefix: /a}}}')],
  ['a regex that RE2 accepts', matching("{clause: {request.path: {regex: '/a/[0-9]+(?i)x'}}}")],
  [
    'several clauses and several matches',
    matching('{clause: {a: {exact: b}, c: {exact: d}}}, {clause: {e: {exact: f}}}'),
  ],
  ['a match without clauses', matching('{}')],
  ['no rules', quotaSpec('{}')],
  ['an empty list of rules', quotaSpec('{rules: []}')],
  ['a rule without quotas', quotaSpec('{rules: [{}, {quotas: []}]}')],
  ['a quota without a name', quotaSpec('{rules: [{quotas: [{charge: 2}]}]}')],
  ['a charge of 0', quotaSpec('{rules: [{quotas: [{quota: q, charge: 0}]}]}')],
  ['the largest charge', quotaSpec('{rules: [{quotas: [{quota: q, charge: 2147483647}]}]}')],
  ['a thousand rules', quotaSpec(`{rules: [${Array(1000).fill('{quotas: [{quota: q}]}').join(', ')}]}`)],
];

for (const [what, text] of accepted) {
  test(`a QuotaSpec may have ${what}`, (t) => {
    t.deepEqual(refusalsOf(text), []);
  });
}

const RULE = 'spec.rules[0]';
const refused: readonly (readonly [string, string, string])[] = [
  [
    'a list of rules, not a text',
    quotaSpec('{rules: all}'),
    'spec.rules: "all": is a string, not an array; write a list, each item on a line that starts with "-"',
  ],
  [
    'a name for each quota that is not empty',
    quotaSpec('{rules: [{quotas: [{quota: ""}]}]}'),
    `${RULE}.quotas[0].quota: "": is empty; it is: Name of the quota to charge; without a name nothing is charged`,
  ],
  [
    'a charge that is not negative',
    quotaSpec('{rules: [{quotas: [{quota: q, charge: -5}]}]}'),
    `${RULE}.quotas[0].charge: -5: is out of range; use 0 to 2147483647`,
  ],
  [
    'a charge of 32 bits',
    quotaSpec('{rules: [{quotas: [{quota: q, charge: 2147483648}]}]}'),
    `${RULE}.quotas[0].charge: 2147483648: is out of range; use 0 to 2147483647`,
  ],
  [
    'a whole charge',
    quotaSpec('{rules: [{quotas: [{quota: q, charge: 1.5}]}]}'),
    `${RULE}.quotas[0].charge: 1.5: is a number, not an integer; give an integer`,
  ],
  [
    'a clause that is not null',
    matching('{clause: {request.path: null}}'),
    `${RULE}.match[0].clause["request.path"]: null: is null, not an object; write fields as "name: value"`,
  ],
  [
    'one member of a StringMatch, not two',
    matching('{clause: {a: {exact: b, prefix: c}}}'),
    `${RULE}.match[0].clause.a: a mapping: sets exact and prefix together; set exactly one of exact, prefix, regex`,
  ],
  [
    'one member of a StringMatch, not none',
    matching('{clause: {a: {}}}'),
    `${RULE}.match[0].clause.a: {}: sets none of exact, prefix, regex; set exactly one of exact, prefix, regex`,
  ],
  [
    'an exact match that is not empty',
    matching('{clause: {a: {exact: ""}}}'),
    `${RULE}.match[0].clause.a.exact: "": is empty; it is: The whole text`,
  ],
  [
    'a prefix that is not empty',
    matching('{clause: {a: {prefix: ""}}}'),
    `${RULE}.match[0].clause.a.prefix: "": is empty; it is: The start of the text`,
  ],
  [
    'a regex that is not empty',
    matching('{clause: {a: {regex: ""}}}'),
    `${RULE}.match[0].clause.a.regex: "": is empty; it is: A regular expression in RE2 syntax that matches the whole text`,
  ],
  [
    'no regex that RE2 refuses',
    matching('{clause: {a: {regex: "(?=a)"}}}'),
    `${RULE}.match[0].clause.a.regex: "(?=a)": is not a regular expression: invalid or unsupported Perl syntax: \`(?=\`; use RE2 syntax, which has no look-around and no back references`,
  ],
  [
    'no regex that is huge when written out',
    matching('{clause: {a: {regex: "a{999}a{999}a{999}"}}}'),
    `${RULE}.match[0].clause.a.regex: "a{999}a{999}a{999}": takes 881 KiB once it is compiled, more than the 640 KiB of one expression; repeat less often, or use fewer classes`,
  ],
  [
    'attribute names that are not empty',
    matching('{clause: {"": {exact: a}}}'),
    `${RULE}.match[0].clause[""]: is an attribute without a name; name the attribute, for example request.path`,
  ],
  [
    'attribute names without spaces',
    matching('{clause: {"a b": {exact: a}}}'),
    `${RULE}.match[0].clause["a b"]: is an attribute whose name contains a space; name the attribute, for example request.path`,
  ],
  [
    'no unknown fields',
    quotaSpec('{rules: [{quota: [], quotas: [{quota: q}]}]}'),
    `${RULE}.quota: []: is not a known field; did you mean quotas?`,
  ],
];

for (const [what, text, expected] of refused) {
  test(`a QuotaSpec must have ${what}`, (t) => {
    t.deepEqual(refusalsOf(text), [`QuotaSpec default/q: ${expected}`]);
  });
}

test('a QuotaSpec of 10,000 rules is refused with one clear message', (t) => {
  const text = quotaSpec(`{rules: [${Array(10_000).fill('{quotas: [{quota: q}]}').join(', ')}]}`);
  t.deepEqual(refusalsOf(text), [
    'QuotaSpec default/q: spec.rules: a list of 10000: has too many items; give at most 1000',
  ]);
});

test('twenty mistakes are listed for a QuotaSpec with a thousand bad rules', (t) => {
  const rules = Array(1000).fill('{match: [{clause: {a: {regex: "("}}}], quotas: [{quota: q}]}');
  t.is(refusalsOf(quotaSpec(`{rules: [${rules.join(', ')}]}`)).length, 20);
});

test('the regular expressions of one QuotaSpec have a common limit', (t) => {
  const rules = Array.from(
    { length: 100 },
    (_, index) => `{match: [{clause: {a: {regex: "a{1000}b{900}${index}"}}}], quotas: [{quota: q}]}`,
  );
  const refusals = refusalsOf(quotaSpec(`{rules: [${rules.join(', ')}]}`));
  t.is(refusals.length, 1);
  t.regex(
    refusals[0] ?? '',
    /brings the regular expressions of this object to \d+ KiB once they are compiled, more than their 8192 KiB/,
  );
});

test('the limit of a regex applies to its compiled size, not to its repetitions', (t) => {
  const nested = '((((((x{2}){2}){2}){2}){2}){2}){2}'.repeat(25);
  const refusals = refusalsOf(matching(`{clause: {a: {regex: '${nested}'}}}`));
  t.is(refusals.length, 1);
  t.regex(
    refusals[0] ?? '',
    /takes \d+ KiB once it is compiled, more than the 640 KiB of one expression; repeat less often, or use fewer classes$/,
  );
});

test('versions other than v1alpha2 are unknown', (t) => {
  const result = readYaml(quotaSpec('{}').replace('v1alpha2', 'v1'));
  t.like(result, { type: 'unknown', knownApiVersions: ['config.mesh.internal/v1alpha2'] });
});
