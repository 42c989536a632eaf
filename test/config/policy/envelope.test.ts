import test from 'ava';
import { createKindRegistry } from '../../../src/config/kinds.js';
import { keyOf } from '../../../src/config/object.js';
import { refusalsOf } from '../support/read-yaml.js';

const SPECS: Readonly<Record<string, object>> = {
  HTTPAPISpec: { patterns: [{ httpMethod: 'GET', uriTemplate: '/' }] },
  HTTPAPISpecBinding: { services: [{ name: 'web' }], apiSpecs: [{ name: 'api' }] },
  QuotaSpec: { rules: [{ quotas: [{ quota: 'q' }] }] },
  QuotaSpecBinding: { services: [{ name: 'web' }], quotaSpecs: [{ name: 'limits' }] },
};

for (const [kind, spec] of Object.entries(SPECS)) {
  const envelope = { apiVersion: 'config.acme.io/v1alpha2', kind, metadata: { name: 'a', namespace: 'shop' }, spec };
  const read = (input: object) => createKindRegistry('acme.io').read(input, { defaultNamespace: 'default' });

  test(`${kind} has apiVersion config.<mesh domain>/v1alpha2, kind, metadata and spec`, (t) => {
    const result = read(envelope);
    t.is(result.type === 'object' ? keyOf(result.object) : result.type, `${kind}/shop/a`);
  });

  test(`${kind} of another version, or of another mesh domain, is unknown`, (t) => {
    for (const apiVersion of ['config.acme.io/v1', 'config.acme.io/v1alpha1', 'config.mesh.internal/v1alpha2']) {
      t.like(read({ ...envelope, apiVersion }), { type: 'unknown', kind });
    }
  });

  test(`${kind} without a namespace is in the default namespace; without a name it is refused`, (t) => {
    const result = read({ ...envelope, metadata: { name: 'a' } });
    t.is(result.type === 'object' ? keyOf(result.object) : result.type, `${kind}/default/a`);
    const nameless = read({ ...envelope, metadata: { namespace: 'shop' } });
    t.deepEqual(nameless.type === 'invalid' ? nameless.violations.map(({ path }) => path) : [], ['metadata.name']);
  });

  test(`${kind} with a spec that is not a mapping is refused with the field`, (t) => {
    const object = (text: string) =>
      refusalsOf(`{apiVersion: config.mesh.internal/v1alpha2, kind: ${kind}, metadata: {name: a}${text}}`);
    // Only bindings have required fields.
    const missing = object('').join();
    if (kind.endsWith('Binding')) t.regex(missing, new RegExp(`^${kind} default/a: spec\\S* is missing`));
    else t.is(missing, '');
    t.regex(object(', spec: all').join(), /spec: "all": is a string, not an object; write fields as "name: value"/);
    t.regex(object(', spec: [a]').join(), /spec: a list of 1: is a list, not an object/);
  });
}
