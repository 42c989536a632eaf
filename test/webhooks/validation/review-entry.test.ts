import test from 'ava';
import { judgeRequest } from '../../../src/webhooks/validation/judge-request.js';
import type { ValidationDecision } from '../../../src/webhooks/validation/validation-decision.js';
import { batch, otherObject, service, storeWith } from '../../model/mesh-objects.js';
import { asked, kinds } from '../fixtures/ask.js';

const store = storeWith();
store.apply(batch(service('bank/web', { clusterIP: '10.96.0.7' }), otherObject('Namespace', '/bank')));

const PORTS = [{ number: 80, name: 'http', protocol: 'HTTP' }];
const entryOf = (spec: object, metadata: object = { name: 'mine' }): object => ({
  apiVersion: 'networking.mesh.internal/v1beta1',
  kind: 'ServiceEntry',
  metadata,
  spec: {
    hosts: ['api.example.com'],
    ports: PORTS,
    resolution: 'STATIC',
    endpoints: [{ address: '10.0.0.1' }],
    ...spec,
  },
});

/** In namespace `shop`, as in requests of `asked`. */
const judge = (object: object, oldObject?: object): ValidationDecision =>
  judgeRequest(
    asked(object, oldObject === undefined ? {} : { operation: 'UPDATE', oldObject }),
    kinds,
    store.entryGuard(),
  );

const messageOf = (verdict: ValidationDecision): string =>
  verdict.type === 'refused' ? verdict.message : verdict.type;

const REFUSED: readonly (readonly [field: string, spec: object, why: string])[] = [
  ['spec.hosts[0]', { hosts: ['web.bank.svc.cluster.local'] }, 'is a host of namespace bank'],
  ['spec.hosts[1]', { hosts: ['a.example.com', 'web.bank'] }, 'is a short host of namespace bank'],
  ['spec.addresses[0]', { addresses: ['0.0.0.0/1'] }, 'covers too much for other namespaces'],
  ['spec.addresses[0]', { addresses: ['10.96.0.0/24'] }, 'has 10.96.0.7, the cluster IP of Service bank/web'],
];
for (const [field, spec, why] of REFUSED) {
  test(`an entry with ${JSON.stringify(spec)} is rejected with object, field, value and remedy`, (t) => {
    const verdict = judge(entryOf(spec));
    const message = messageOf(verdict);
    t.is(verdict.type === 'refused' ? verdict.reason : undefined, 'invalid_resource');
    for (const part of ['ServiceEntry', 'shop/mine', field, why, 'exportTo', 'mesh-system']) {
      t.true(message.includes(part), `${part} is missing in: ${message}`);
    }
  });
}

test('the same entry is accepted if it affects only its own namespace', (t) => {
  for (const [, spec] of REFUSED) t.is(messageOf(judge(entryOf({ ...spec, exportTo: ['.'] }))), 'passed');
  t.is(messageOf(judge(entryOf({ hosts: ['web.bank'] }, { name: 'mine', namespace: 'mesh-system' }))), 'passed');
});

test('an existing entry can change its metadata, with a warning', (t) => {
  const old = entryOf({ hosts: ['web.bank'] });
  const labelled = entryOf({ hosts: ['web.bank'] }, { name: 'mine', labels: { team: 'a' } });
  const verdict = judge(labelled, old);
  t.deepEqual(verdict.type === 'passed' && verdict.concerns?.map(({ code }) => code), ['MESH0501']);
  t.regex(messageOf(judge(entryOf({ hosts: ['web.bank'], addresses: ['10.9.9.9'] }), old)), /spec\.hosts\[0\]/);
});

test('a port that takes every connection causes a warning', (t) => {
  const verdict = judge(entryOf({ ports: [{ number: 3306, name: 'db', protocol: 'TCP' }] }));
  const [concern] = verdict.type === 'passed' ? (verdict.concerns ?? []) : [];
  t.is(concern?.field, 'spec.ports[0]');
  t.regex(concern?.message ?? '', /every connection to port 3306/);
});
