import test from 'ava';
import {
  checkClusterOf,
  checkServerOf,
  reportClusterOf,
  reportServerOf,
} from '../../../src/model/policy/policy-servers.js';
import { meshWith } from './mesh-with.js';

test('no server is configured by an empty text', (t) => {
  const mesh = meshWith({ mixerCheckServer: '', mixerReportServer: '' });
  t.is(checkServerOf(mesh), undefined);
  t.is(reportServerOf(mesh), undefined);
});

test('embedded is the server in the discovery process', (t) => {
  const mesh = meshWith({ mixerCheckServer: 'embedded', mixerReportServer: 'embedded' });
  t.deepEqual(checkServerOf(mesh), { type: 'embedded' });
  t.deepEqual(reportServerOf(mesh), { type: 'embedded' });
});

test('host:port is a server at an address, an IPv6 address without its brackets', (t) => {
  const mesh = meshWith({ mixerCheckServer: 'policy.mesh-system.svc:9091', mixerReportServer: '[fd00::1]:15004' });
  t.deepEqual(checkServerOf(mesh), { type: 'address', host: 'policy.mesh-system.svc', port: 9091 });
  t.deepEqual(reportServerOf(mesh), { type: 'address', host: 'fd00::1', port: 15004 });
});

const CLUSTERS = [
  ['without a server clusters have the default name', '', '', false, 'policy_server', 'policy_server'],
  ['embedded servers are the cluster policy_server', 'embedded', 'embedded', false, 'policy_server', 'policy_server'],
  ['host:port is the cluster of that service port', 'p.x:1', 'q.x:2', false, 'outbound|1||p.x', 'outbound|2||q.x'],
  ['check and report servers may differ in kind', 'embedded', 'q.x:2', false, 'policy_server', 'outbound|2||q.x'],
  [
    'with sidecarToTelemetrySessionAffinity reports have a cluster of their own',
    'p.x:1',
    'p.x:1',
    true,
    'outbound|1||p.x',
    'policy_report_server',
  ],
  [
    'sidecarToTelemetrySessionAffinity without a report server changes nothing',
    'p.x:1',
    '',
    true,
    'outbound|1||p.x',
    'policy_server',
  ],
] as const;

for (const [rule, mixerCheckServer, mixerReportServer, affinity, checks, reports] of CLUSTERS) {
  test(`checkCluster and reportCluster: ${rule}`, (t) => {
    const { policy } = meshWith({ mixerCheckServer, mixerReportServer, sidecarToTelemetrySessionAffinity: affinity });
    t.is(checkClusterOf(policy), checks);
    t.is(reportClusterOf(policy), reports);
  });
}
