import test from 'ava';
import { extensionConfigsAffectedBy } from '../../../src/generators/policy/affected-by.js';
import { pushRequest } from '../../support/push-requests.js';
import { EMBEDDED, policyContext, SERVERS } from './policy-context.js';

const embedded = policyContext(EMBEDDED);
const servers = policyContext(SERVERS);
const onlyReports = policyContext({ ...EMBEDDED, mixerCheckServer: '' });
const changed = (...kinds: string[]) => pushRequest({ changed: new Set(kinds.map((kind) => `${kind}/default/it`)) });

for (const kind of ['QuotaSpec', 'HTTPAPISpec']) {
  test(`a changed ${kind} never matters, because proxies do not get its content`, (t) => {
    for (const context of [embedded, servers, undefined]) {
      t.false(extensionConfigsAffectedBy(changed(kind), 'sidecar', context));
    }
  });
}

for (const kind of ['QuotaSpecBinding', 'HTTPAPISpecBinding']) {
  test(`a changed ${kind} matters to all checks: it may name labels that proxies tell`, (t) => {
    for (const context of [embedded, servers, undefined]) {
      t.true(extensionConfigsAffectedBy(changed(kind), 'sidecar', context));
    }
    t.false(extensionConfigsAffectedBy(changed(kind), 'sidecar', onlyReports));
  });
}

test('a changed Namespace matters to the checks of the embedded server alone', (t) => {
  t.true(extensionConfigsAffectedBy(changed('Namespace'), 'sidecar', embedded));
  t.true(extensionConfigsAffectedBy(changed('Namespace'), 'sidecar', undefined));
  t.false(extensionConfigsAffectedBy(changed('Namespace'), 'sidecar', servers));
  t.false(extensionConfigsAffectedBy(changed('Namespace'), 'sidecar', onlyReports));
});

for (const kind of ['Service', 'ServiceEntry', 'Sidecar', 'SomethingNew']) {
  test(`a changed ${kind} may change which services a proxy has chains for`, (t) => {
    t.true(extensionConfigsAffectedBy(changed(kind), 'sidecar', embedded));
    t.true(extensionConfigsAffectedBy(changed('QuotaSpec', kind), 'sidecar', servers));
  });
}

test('without a check server, only the mesh config matters', (t) => {
  for (const context of [onlyReports, policyContext({})]) {
    t.false(extensionConfigsAffectedBy(changed('Service'), 'sidecar', context));
    t.true(extensionConfigsAffectedBy(pushRequest({ changed: 'everything' }), 'sidecar', context));
  }
});

test('endpoints and workloads never matter, because the services of a proxy are found by address', (t) => {
  const endpoints = pushRequest({ full: false, endpoints: new Set(['web.default.svc.cluster.local']) });
  t.false(extensionConfigsAffectedBy(endpoints, 'sidecar', embedded));
  t.false(extensionConfigsAffectedBy(changed('Pod', 'WorkloadEntry', 'EndpointSlice'), 'sidecar', embedded));
});

test('routers have such filters too', (t) => {
  t.true(extensionConfigsAffectedBy(pushRequest({ changed: 'everything' }), 'router', embedded));
});
