import test from 'ava';
import { hostRelationTo, shortHostForms } from '../../../src/generators/routes/virtual-host-domains.js';

const WEB = 'web.default.svc.cluster.local';
const CASES: readonly (readonly [hostname: string, dnsDomain: string, forms: readonly string[]])[] = [
  [WEB, 'default.svc.cluster.local', ['web', 'web.default', 'web.default.svc']],
  [WEB, 'other.svc.cluster.local', ['web.default', 'web.default.svc']],
  [WEB, 'default.svc.other.local', []],
  [WEB, 'cluster.local', ['web.default.svc']],
  [WEB, 'ult.svc.cluster.local', ['web.default', 'web.default.svc']],
  [WEB, '', []],
  [WEB, WEB, []],
  ['default.svc.cluster.local', 'other.svc.cluster.local', []],
  [
    'pod-0.web.default.svc.cluster.local',
    'default.svc.cluster.local',
    ['pod-0.web', 'pod-0.web.default', 'pod-0.web.default.svc'],
  ],
  ['api.example.com', 'default.svc.cluster.local', []],
  ['api.example.com', 'example.com', ['api']],
  ['*.default.svc.cluster.local', 'default.svc.cluster.local', []],
];

for (const [hostname, dnsDomain, forms] of CASES) {
  test(`from ${dnsDomain || 'nowhere'}, ${hostname} is also ${forms.join(', ') || 'nothing else'}`, (t) => {
    t.deepEqual(shortHostForms(hostname, dnsDomain), forms);
  });
}

test('domains to which a host relates alike give it the same short forms', (t) => {
  const seen = new Map<string, readonly string[]>();
  for (const [hostname, dnsDomain] of CASES) {
    const key = `${hostname} ${hostRelationTo(dnsDomain)(hostname)}`;
    const forms = shortHostForms(hostname, dnsDomain);
    t.deepEqual(seen.get(key) ?? forms, forms, key);
    seen.set(key, forms);
  }
  t.is(hostRelationTo('a.svc.cluster.local')(WEB), hostRelationTo('b.svc.cluster.local')(WEB));
});
