import test from 'ava';
import { createKindRegistry } from '../../src/config/kinds.js';

const kinds = createKindRegistry('mesh.internal');
const entry = (spec: object, extra: object = {}) => ({
  apiVersion: 'networking.mesh.internal/v1beta1',
  kind: 'ServiceEntry',
  metadata: { name: 'web' },
  spec,
  ...extra,
});
const read = (raw: object, unknownFields?: 'tolerated') =>
  kinds.read(raw, { defaultNamespace: 'shop', ...(unknownFields ? { unknownFields } : {}) });

test('unknown fields make an object invalid, unless they are tolerated: then the result lists them', (t) => {
  const raw = entry({ hosts: ['a.com'], locaton: 'x' }, { extra: 1 });
  t.like(read(raw), { type: 'invalid', breaks: 'rules' });
  const result = read(raw, 'tolerated');
  t.is(result.type, 'object');
  if (result.type !== 'object') return;
  t.deepEqual(
    result.unknownFields?.map(({ path }) => path),
    ['extra', 'spec.locaton'],
  );
  t.false('locaton' in (result.object.body as object));
});

test('the violations of an invalid object include its unknown fields', (t) => {
  const result = read(entry({ host: ['a.com'] }), 'tolerated');
  t.is(result.type, 'invalid');
  if (result.type !== 'invalid') return;
  t.deepEqual(
    result.violations.map(({ path }) => path),
    ['spec.host', 'spec.hosts'],
  );
});

test('the result of an object without unknown fields lists none', (t) => {
  t.false('unknownFields' in read(entry({ hosts: ['a.com'] }), 'tolerated'));
});

test('an object that does not fit its schema breaks its form, an object that breaks only a rule does not', (t) => {
  t.like(read(entry({ hosts: 'a.com' })), { type: 'invalid', breaks: 'form' });
  t.like(read(entry({ hosts: ['a.com'] }, { metadata: { name: 1 } })), { type: 'invalid', breaks: 'form' });
  t.like(read(entry({ hosts: ['a.com'] }, { metadata: { name: 'A b' } })), { type: 'invalid', breaks: 'rules' });
  t.like(read(entry({ hosts: ['*'] })), { type: 'invalid', breaks: 'rules' });
});
