import test from 'ava';
import { keyOf, type MeshObject } from '../../../src/config/object.js';
import { type PolicyBindings, resolvePolicyBindings } from '../../../src/model/policy/policy-bindings.js';
import { readObject } from '../../config/support/read-yaml.js';
import { contextOf } from '../mesh-objects.js';

/** The two pairs of kinds follow the same rules; these are their differences. */
const PAIRS = [
  {
    spec: 'QuotaSpec',
    references: 'quotaSpecs',
    body: '{rules: [{quotas: [{quota: q}]}]}',
    specsOf: (bindings: PolicyBindings, hostname: string) => bindings.quotaSpecsOf({ hostname, namespace: 'shop' }),
    resolved: (bindings: PolicyBindings) => bindings.quotas.bindings,
  },
  {
    spec: 'HTTPAPISpec',
    references: 'apiSpecs',
    body: '{patterns: [{httpMethod: GET, uriTemplate: /}]}',
    specsOf: (bindings: PolicyBindings, hostname: string) => bindings.apiSpecsOf({ hostname, namespace: 'shop' }),
    resolved: (bindings: PolicyBindings) => bindings.apis.bindings,
  },
] as const;

const WEB = 'web.shop.svc.cluster.local';

for (const { spec: kind, references, body, specsOf, resolved } of PAIRS) {
  const object = (objectKind: string, name: string, spec: string): MeshObject => {
    const [namespace = '', short = ''] = name.split('/');
    const metadata = `{name: ${short}, namespace: ${namespace}}`;
    return readObject(
      `{apiVersion: config.mesh.internal/v1alpha2, kind: ${objectKind}, metadata: ${metadata}, spec: ${spec}}`,
    );
  };
  const spec = (name: string): MeshObject => object(kind, name, body);
  const binding = (name: string, services: string, targets: string): MeshObject =>
    object(`${kind}Binding`, name, `{services: [${services}], ${references}: [${targets}]}`);
  const names = (hostname: string, ...objects: readonly MeshObject[]): readonly string[] =>
    specsOf(resolvePolicyBindings(contextOf(objects)), hostname).map(keyOf);

  const A = `${kind}/shop/a`;
  const cases: readonly (readonly [string, string, string, boolean])[] = [
    ["a name alone means the binding's namespace and the cluster's domain", '{name: web}', WEB, true],
    ['a name alone means no other namespace', '{name: web}', 'web.other.svc.cluster.local', false],
    ['a namespace is taken as given', '{name: web, namespace: other}', 'web.other.svc.cluster.local', true],
    ["a namespace given is not the binding's", '{name: web, namespace: other}', WEB, false],
    [
      'a domain replaces svc and the domain of the cluster',
      '{name: web, domain: example.com}',
      'web.shop.example.com',
      true,
    ],
    ['a domain is taken alone', '{name: web, domain: example.com}', WEB, false],
    ['service means one host, verbatim', `{service: ${WEB}}`, WEB, true],
    ['service means no host that it is part of', '{service: web.shop}', WEB, false],
    ['service * means every host', '{service: "*"}', 'anything.example.com', true],
    ['service *text* means hosts that contain it', '{service: "*.shop.*"}', WEB, true],
    ['service *text* means no host that does not contain it', '{service: "*.other.*"}', WEB, false],
    ['a star at the end alone means nothing', '{service: "web.*"}', WEB, false],
    ['a star at the start alone means nothing', '{service: "*.local"}', WEB, false],
    ['a star in the middle means nothing', '{service: "*web*shop*"}', WEB, false],
    ['two stars mean nothing', '{service: "**"}', WEB, false],
    [
      'a host with a wildcard of its own is met exactly, never by its star',
      '{service: "*.example.com"}',
      '*.example.com',
      false,
    ],
  ];
  for (const [rule, service, hostname, isBound] of cases) {
    test(`in a ${kind}Binding ${rule}`, (t) => {
      t.deepEqual(names(hostname, spec('shop/a'), binding('shop/b', service, '{name: a}')), isBound ? [A] : []);
    });
  }

  test(`a reference of a ${kind}Binding means the binding's namespace unless it names another`, (t) => {
    const targets = '{name: a}, {name: c, namespace: other}';
    t.deepEqual(
      names(
        WEB,
        spec('shop/a'),
        spec('other/a'),
        spec('other/c'),
        spec('shop/c'),
        binding('shop/b', '{name: web}', targets),
      ),
      [`${kind}/other/c`, A],
    );
  });

  test(`in a ${kind}Binding a dangling reference is skipped and told apart`, (t) => {
    const objects = [spec('shop/a'), binding('shop/b', '{name: web}', '{name: gone}, {name: a}')];
    t.deepEqual(names(WEB, ...objects), [A]);
    t.deepEqual(
      resolved(resolvePolicyBindings(contextOf(objects))).map(({ references: found }) =>
        found.map(({ key, spec: target }) => [key, target === undefined]),
      ),
      [
        [
          [`${kind}/shop/gone`, true],
          [A, false],
        ],
      ],
    );
  });

  test(`the ${kind}s of several bindings apply together, once each, sorted by key`, (t) => {
    t.deepEqual(
      names(
        WEB,
        spec('shop/z'),
        spec('shop/a'),
        spec('alpha/m'),
        binding('shop/b1', '{name: web}, {service: "*"}', '{name: z}, {name: a}, {name: z}'),
        binding('alpha/b2', '{service: "*.shop.*"}', '{name: m}, {name: a, namespace: shop}'),
      ),
      [`${kind}/alpha/m`, A, `${kind}/shop/z`],
    );
  });

  test(`${kind}Binding: services with equal specs share one array`, (t) => {
    const bindings = resolvePolicyBindings(
      contextOf([
        spec('shop/a'),
        binding('shop/b1', '{name: web}', '{name: a}'),
        binding('shop/b2', '{service: "*api*"}', '{name: a}'),
      ]),
    );
    t.is(specsOf(bindings, WEB), specsOf(bindings, 'api.shop'));
    t.is(specsOf(bindings, WEB)[0]?.metadata.name, 'a');
    t.is(specsOf(bindings, 'x'), specsOf(bindings, 'y'));
  });
}

test('a mesh without policies binds nothing', (t) => {
  const bindings = resolvePolicyBindings(contextOf([]));
  const service = { hostname: WEB, namespace: 'shop' };
  t.deepEqual([bindings.quotaSpecsOf(service), bindings.apiSpecsOf(service)], [[], []]);
});
