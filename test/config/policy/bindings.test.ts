import test from 'ava';
import { readObject, refusalsOf } from '../support/read-yaml.js';

const KINDS = [
  { kind: 'QuotaSpecBinding', references: 'quotaSpecs', target: 'QuotaSpec' },
  { kind: 'HTTPAPISpecBinding', references: 'apiSpecs', target: 'HTTPAPISpec' },
] as const;

for (const { kind, references, target } of KINDS) {
  const binding = (spec: string): string =>
    `{apiVersion: config.mesh.internal/v1alpha2, kind: ${kind}, metadata: {name: b}, spec: ${spec}}`;
  const services = (text: string): string => binding(`{services: [${text}], ${references}: [{name: r}]}`);
  const bound = (text: string): string => binding(`{services: [{name: web}], ${references}: [${text}]}`);

  test(`a ${kind} is read completely`, (t) => {
    t.deepEqual(
      readObject(binding(`{services: [{name: web, namespace: shop}], ${references}: [{name: r, namespace: n}]}`)).body,
      {
        services: [{ name: 'web', namespace: 'shop', labels: {} }],
        [references]: [{ name: 'r', namespace: 'n' }],
      },
    );
  });

  const accepted: readonly (readonly [string, string])[] = [
    ['a service by its short name', services('{name: web}')],
    ['a service by name, namespace and domain', services('{name: web, namespace: shop, domain: svc.cluster.local}')],
    ['a service by its host', services('{service: web.shop.svc.cluster.local}')],
    ['every service', services('{service: "*"}')],
    ['services whose host contains a text', services('{service: "*.shop.*"}')],
    ['any text as service, for it is not checked', services('{service: "a*"}')],
    ['labels of a service version', services('{name: web, labels: {version: v1, app.io/x: ""}}')],
    ['several services', services('{name: a}, {name: b}')],
  ];
  for (const [what, text] of accepted) {
    test(`a ${kind} may have ${what}`, (t) => {
      t.deepEqual(refusalsOf(text), []);
    });
  }

  const refused: readonly (readonly [string, string, string])[] = [
    [
      'services',
      binding(`{${references}: [{name: r}]}`),
      `spec.services: is missing; add it: The services that the listed ${target}s apply to`,
    ],
    [
      'at least one service',
      binding(`{services: [], ${references}: [{name: r}]}`),
      'spec.services: []: has too few items; give at least 1',
    ],
    [
      'references',
      binding('{services: [{name: a}]}'),
      `spec.${references}: is missing; add it: The ${target}s. Their rules should not match the same requests`,
    ],
    ['at least one reference', bound(''), `spec.${references}: []: has too few items; give at least 1`],
    [
      'name or service in each service, not both',
      services('{name: a, service: a.b}'),
      'spec.services[0]: a mapping: sets name and service together; keep one of them',
    ],
    [
      'no namespace beside service',
      services('{service: a.b, namespace: n}'),
      'spec.services[0]: a mapping: sets service and namespace together; keep one of them',
    ],
    [
      'no domain beside service',
      services('{service: a.b, domain: n}'),
      'spec.services[0]: a mapping: sets service and domain together; keep one of them',
    ],
    [
      'service names that are labels',
      services('{name: a.b}'),
      'spec.services[0].name: "a.b": does not have the required form; it is: Short name of the service, a DNS label',
    ],
    [
      'service namespaces that are labels',
      services('{name: a, namespace: "*"}'),
      'spec.services[0].namespace: "*": does not have the required form; it is: Namespace of the service, a DNS label; default: the namespace of the object. Only together with name',
    ],
    [
      'domains that are domain names',
      services('{name: a, domain: "svc.1"}'),
      'spec.services[0].domain: "svc.1": is not a domain name; use for example svc.cluster.local',
    ],
    [
      'valid labels',
      services('{name: a, labels: {version: "-"}}'),
      'spec.services[0].labels.version: "-": is not a valid label value; use at most 63 letters, digits, "-", "_" and ".", or nothing',
    ],
    [
      'services that are not empty texts',
      services('{service: ""}'),
      'spec.services[0].service: "": is empty; it is: Full host name of the service; * is every service, *text* is every service whose host contains the text',
    ],
    [
      'a name in each reference',
      bound('{}'),
      `spec.${references}[0].name: is missing; add it: Name of the ${target}: lower-case letters, digits, hyphens and dots`,
    ],
    [
      'reference names that are not empty',
      bound('{name: ""}'),
      `spec.${references}[0].name: "": is empty; it is: Name of the ${target}: lower-case letters, digits, hyphens and dots`,
    ],
    [
      'reference names that an object can have',
      bound('{name: A_b}'),
      `spec.${references}[0].name: "A_b": does not have the required form; it is: Name of the ${target}: lower-case letters, digits, hyphens and dots`,
    ],
    [
      'reference namespaces that are labels',
      bound('{name: r, namespace: a.b}'),
      `spec.${references}[0].namespace: "a.b": does not have the required form; it is: Namespace of the ${target}, a DNS label; default: the namespace of the binding`,
    ],
    [
      'no unknown fields',
      bound('{name: r, nmespace: n}'),
      `spec.${references}[0].nmespace: "n": is not a known field; did you mean namespace?`,
    ],
  ];
  for (const [what, text, expected] of refused) {
    test(`a ${kind} must have ${what}`, (t) => {
      t.deepEqual(refusalsOf(text), [`${kind} default/b: ${expected}`]);
    });
  }
}
