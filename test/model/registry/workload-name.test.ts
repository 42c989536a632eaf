import test from 'ava';
import { workloadNameOf } from '../../../src/model/registry/pod.js';

const CASES = [
  ['a Deployment', 'web-app-7d9f-x2x9k', { 'pod-template-hash': '7d9f' }, 'web-app'],
  [
    'a StatefulSet',
    'db-0',
    { 'statefulset.kubernetes.io/pod-name': 'db-0', 'controller-revision-hash': 'db-5f' },
    'db',
  ],
  ['a DaemonSet', 'agent-k2k9x', { 'controller-revision-hash': '5f' }, 'agent'],
  ['nothing', 'lonely-pod', {}, 'lonely-pod'],
  ['a Deployment whose hash its name lacks', 'odd', { 'pod-template-hash': '7d9f' }, 'odd'],
] as const;

for (const [owner, name, labels, expected] of CASES) {
  test(`the workload of a pod of ${owner} is ${expected}`, (t) => {
    t.is(workloadNameOf(name, labels), expected);
  });
}
