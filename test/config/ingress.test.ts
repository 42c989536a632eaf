import test from 'ava';
import { backend, ingress, path, rule } from '../model/derived/ingress-objects.js';
import { refusalsOf } from './support/read-yaml.js';

const host = 'a.example.com';

for (const [title, spec, mistake] of [
  ['neither rules nor a default backend', {}, /spec: has neither rules nor a defaultBackend/],
  [
    'a host that is no name',
    { rules: [rule('*.*.example.com', path('/'))] },
    /rules\[0\]\.host: "\*\.\*\.example\.com": is not a host name/,
  ],
  ['a host that is an address', { rules: [rule('10.0.0.1', path('/'))] }, /is not a host name/],
  ['a path without a slash', { rules: [rule(host, path('x'))] }, /paths\[0\]\.path: "x": does not start with a slash/],
  ['a path that no request has', { rules: [rule(host, path('/a//b'))] }, /contains \/\/, which requests never have/],
  ['an unknown type of path', { rules: [rule(host, path('/', 'web', 'Regex'))] }, /pathType/],
  ['a backend without a destination', { defaultBackend: {} }, /defaultBackend: names no destination/],
  [
    'a backend without a port',
    { defaultBackend: { service: { name: 'web' } } },
    /service\.port: has neither number nor name/,
  ],
  [
    'a port with number and name',
    { defaultBackend: { service: { name: 'web', port: { number: 80, name: 'http' } } } },
    /has a number and a name/,
  ],
  ['a service and a resource', { defaultBackend: { ...backend('web'), resource: {} } }, /has service and resource/],
  [
    'a secret of another namespace',
    { defaultBackend: backend('web'), tls: [{ secretName: 'other/tls' }] },
    /secretName: "other\/tls": is not the name of a Secret/,
  ],
] as const) {
  test(`an Ingress with ${title} is rejected`, (t) => {
    const refusals = refusalsOf(ingress({ spec }));
    t.is(refusals.length, 1);
    t.regex(refusals[0] ?? '', mistake);
  });
}

test('an Ingress may leave out hosts, paths and what the mesh does not read', (t) => {
  const free = { pathType: 'ImplementationSpecific', backend: backend('web') };
  const spec = { rules: [rule('', free), { host }], tls: [{}], unknown: true };
  t.deepEqual(refusalsOf(ingress({ spec })), []);
});
