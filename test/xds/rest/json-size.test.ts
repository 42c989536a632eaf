import test from 'ava';
import { inOneStep } from '../../../src/base/steps.js';
import { checkJsonSize } from '../../../src/xds/rest/json-size.js';

const LIMITS = { names: 10, nodeBytes: 256 };
const check = (json: string): void => inOneStep(checkJsonSize(Buffer.from(json), LIMITS));

for (const [what, json] of [
  ['as many objects and lists as the limit', `[${'{},'.repeat(6)}[]]`],
  ['as many names as the limit', `{"resource_names":[${'"a",'.repeat(9)}"a"]}`],
  ['punctuation in texts', JSON.stringify({ text: '[{,:'.repeat(1_000), other: '"[[[[' })],
  ['texts that end with a backslash', JSON.stringify({ '\\': '\\', text: `\\"${'[,'.repeat(1_000)}\\\\` })],
  ['no JSON at all', ']]]]'],
] as const) {
  test(`${what}: parsed`, (t) => {
    t.notThrows(() => check(json));
  });
}

for (const [what, json, reason] of [
  ['more lists', `[${'[],'.repeat(8)}[]]`, /more than 8 objects and lists.*NAV_XDS_MAX_NODE_BYTES/],
  ['more fields', `{${'"a":1,'.repeat(32)}"a":1}`, /more than 32 fields.*NAV_XDS_MAX_NODE_BYTES/],
  ['more names', `{"resource_names":[${'"a",'.repeat(43)}"a"]}`, /more than 10 resources.*NAV_XDS_MAX_NAMES/],
  ['deeper lists', '['.repeat(41), /deeper than 40 levels/],
  ['lists behind a text with escaped quotes', `["\\\\\\"",${'[],'.repeat(8)}[]]`, /more than 8 objects/],
] as const) {
  test(`${what} than the limit: not parsed`, (t) => {
    const error = t.throws(() => check(json));
    t.regex(error?.message ?? '', reason);
  });
}

test('a body of megabytes is counted in slices', (t) => {
  const slices = [...checkJsonSize(Buffer.from(JSON.stringify('x'.repeat(4 << 20))), LIMITS)];
  t.is(slices.length, 17);
});
