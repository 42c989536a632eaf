import test from 'ava';
import type { SettingsReader } from '../../src/config/settings-reader.js';
import { joinFields, withDefaults } from '../../src/config/settings-reader.js';

const readAny: SettingsReader<unknown> = (value) => ({ type: 'valid', value, warnings: [] });
const DEFAULTS = { server: 'embedded', config: { address: 'a', level: 1 }, list: [1] };

function read(content: unknown, joined?: readonly string[]): unknown {
  const result = withDefaults(readAny, DEFAULTS, joined)(content);
  return result.type === 'valid' && result.value;
}

test('a field of the content replaces its default, and other defaults stay', (t) => {
  t.deepEqual(read({ server: 'other', list: [] }), { ...DEFAULTS, server: 'other', list: [] });
});

test('without content all defaults apply', (t) => {
  for (const content of [undefined, null, {}]) t.deepEqual(read(content), DEFAULTS);
});

test('a mapping replaces its whole default, unless its fields are joined', (t) => {
  t.deepEqual(read({ config: { level: 2 } }), { ...DEFAULTS, config: { level: 2 } });
  t.deepEqual(read({ config: { level: 2 } }, ['config']), { ...DEFAULTS, config: { address: 'a', level: 2 } });
});

test('a null removes a default', (t) => {
  t.deepEqual(read({ server: null }), { ...DEFAULTS, server: null });
});

test('the reader of the settings refuses content that is not a mapping', (t) => {
  for (const content of [[1], 'text', 7]) t.is(read(content), content);
});

test('fields are joined at any depth by default, and no field changes a prototype', (t) => {
  const hostile = JSON.parse('{"a":{"b":{"c":2}},"__proto__":{"polluted":true}}') as Record<string, unknown>;
  const joined = joinFields({ a: { b: { c: 1, d: 1 }, e: 1 } }, hostile);
  t.deepEqual(joined['a'], { b: { c: 2, d: 1 }, e: 1 });
  t.false('polluted' in joined);
  t.false('polluted' in {});
});
