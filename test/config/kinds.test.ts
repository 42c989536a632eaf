import test from 'ava';
import { createKindRegistry } from '../../src/config/kinds.js';
import { readObject, readYaml, refusalsOf } from './support/read-yaml.js';

const entry = `
apiVersion: networking.mesh.internal/v1beta1
kind: ServiceEntry
metadata: {name: web}
spec: {hosts: [web.example.com]}
`;

test('an object is read with its defaults and its namespace, and without other fields', (t) => {
  t.deepEqual(readObject(`${entry}status: {conditions: []}\n`), {
    kind: 'ServiceEntry',
    apiVersion: 'networking.mesh.internal/v1beta1',
    metadata: { name: 'web', namespace: 'default', labels: {}, annotations: {}, resourceVersion: '' },
    body: {
      hosts: ['web.example.com'],
      addresses: [],
      ports: [],
      location: 'MESH_EXTERNAL',
      resolution: 'NONE',
      endpoints: [],
      exportTo: [],
      subjectAltNames: [],
    },
  });
});

test('an older version is converted to the newest', (t) => {
  t.deepEqual(readObject(entry.replace('v1beta1', 'v1alpha3')), readObject(entry));
});

test('the result of an unknown version lists the supported versions', (t) => {
  t.like(readYaml(entry.replace('v1beta1', 'v7')), {
    type: 'unknown',
    apiVersion: 'networking.mesh.internal/v7',
    kind: 'ServiceEntry',
    knownApiVersions: ['networking.mesh.internal/v1beta1', 'networking.mesh.internal/v1alpha3'],
  });
});

test('the mesh domain is part of the group', (t) => {
  const registry = createKindRegistry('acme.io');
  t.deepEqual(registry.apiVersionsOf('WorkloadEntry'), ['networking.acme.io/v1beta1', 'networking.acme.io/v1alpha3']);
  t.is(registry.find('networking.mesh.internal/v1beta1', 'ServiceEntry'), undefined);
  t.is(registry.find('networking.acme.io/v1alpha3', 'ServiceEntry')?.plural, 'serviceentries');
});

test('null counts as absent, like in an API server', (t) => {
  const object = readObject(`
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web, creationTimestamp: null, labels: null}
addressType: IPv4
endpoints: null
ports: null
`);
  t.deepEqual(object.body, { addressType: 'IPv4', endpoints: [], ports: [] });
  t.deepEqual(object.metadata.labels, {});
});

test('all mistakes are listed, each in one line', (t) => {
  t.deepEqual(
    refusalsOf(`
apiVersion: networking.mesh.internal/v1beta1
kind: ServiceEntry
metadata: {name: Web, namespace: "a b", labels: {"-bad": x, good: "-"}}
extra: 1
spec: {hosts: [web.example.com], locaton: x, resolution: dns}
`),
    [
      'ServiceEntry a b/Web: extra: 1: is not a known field; an object has apiVersion, kind, metadata, spec, status; did you mean to put it under spec?',
      'ServiceEntry a b/Web: metadata.name: "Web": is not a valid name; use lower-case letters, digits, hyphens and dots, at most 253 of them',
      'ServiceEntry a b/Web: metadata.namespace: "a b": is not a valid namespace name; use at most 63 letters, digits and hyphens',
      'ServiceEntry a b/Web: metadata.labels["-bad"]: is not a valid label key; use at most 63 letters, digits, "-", "_" and ".", with an optional "dns.name/" before them',
      'ServiceEntry a b/Web: metadata.labels.good: "-": is not a valid label value; use at most 63 letters, digits, "-", "_" and ".", or nothing',
      'ServiceEntry a b/Web: spec.locaton: "x": is not a known field; did you mean location?',
      'ServiceEntry a b/Web: spec.resolution: "dns": is not one of the allowed values; use NONE, STATIC, DNS',
    ],
  );
});

const broken: readonly (readonly [string, string, string])[] = [
  ['a list', '- a', 'object (no name): a list of 1: is not an object; start it with apiVersion, kind and metadata'],
  ['a text', 'hello', 'object (no name): "hello": is not an object; start it with apiVersion, kind and metadata'],
  ['no kind', 'apiVersion: v1', 'object (no name): kind: is missing; every object needs apiVersion, kind and metadata'],
  [
    'a kind that is a number',
    '{apiVersion: v1, kind: 7}',
    'object (no name): kind: 7: is not a string; put it in quotes',
  ],
  [
    'no name',
    '{apiVersion: v1, kind: Namespace}',
    'Namespace (no name): metadata.name: is missing; add it: Name of the object',
  ],
  [
    'a name that is a number',
    '{apiVersion: v1, kind: Namespace, metadata: {name: 7}}',
    'Namespace 7: metadata.name: 7: is a number, not a string; put it in quotes',
  ],
  [
    'metadata that is a text',
    '{apiVersion: v1, kind: Namespace, metadata: x}',
    'Namespace (no name): metadata: "x": is a string, not an object; write fields as "name: value"',
  ],
];

for (const [what, text, expected] of broken) {
  test(`${what} in place of an object is reported as such`, (t) => {
    t.deepEqual(refusalsOf(text), [expected]);
  });
}

test("names of JavaScript's built-in properties are ordinary names", (t) => {
  const object = readObject(`
apiVersion: v1
kind: Service
metadata: {name: constructor, labels: {constructor: toString}}
spec: {selector: {hasOwnProperty: x}, toString: y}
`);
  t.deepEqual(object.metadata.labels, { constructor: 'toString' } as unknown as Record<string, string>);
  t.is(readYaml('{apiVersion: constructor, kind: toString}').type, 'unknown');
  t.deepEqual(refusalsOf('{kind: Service, metadata: {name: x}}').length, 1);
});
