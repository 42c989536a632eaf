import test from 'ava';
import { statusSettings } from '../../src/bootstrap/map-options.js';
import type { Options } from '../../src/bootstrap/options.js';

const NAMESPACE = 'mesh-system';

/** What statusSettings reads of the options, of an instance in a pod of mesh-system. */
function optionsOf(changes: Readonly<Record<string, string>>): Options {
  const given = {
    orchConfig: '',
    namespace: NAMESPACE,
    podNamespace: NAMESPACE,
    podName: 'meshd-0',
    podUid: '1',
    ...changes,
  };
  const { orchConfig, namespace, ...environment } = given;
  return { discovery: { orchConfig, namespace, plugins: [] }, environment } as unknown as Options;
}

test('a report is owned by the pod that writes it', (t) => {
  t.deepEqual(statusSettings(optionsOf({})).pod, { name: 'meshd-0', uid: '1' });
});

for (const [what, changes] of [
  ['whose UID is not known', { podUid: '' }],
  ['whose name is not known', { podName: '' }],
  ['of another cluster than the one it writes to', { orchConfig: '/somewhere/kubeconfig' }],
  ['of another namespace than the one it writes to', { namespace: 'elsewhere' }],
] as const) {
  test(`a report is not owned by a pod ${what}`, (t) => {
    t.is(statusSettings(optionsOf(changes)).pod, undefined);
  });
}
