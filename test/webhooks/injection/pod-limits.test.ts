import test from 'ava';
import { readPod } from '../../../src/webhooks/injection/pod.js';
import { previousInjection } from '../../../src/webhooks/injection/previous-injection.js';
import { podOf, tools } from './support/injection.js';

const many = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `c${index}`, image: 'a' }));

for (const list of ['containers', 'initContainers', 'volumes', 'imagePullSecrets']) {
  test(`a pod with too many ${list} is rejected`, (t) => {
    t.notThrows(() => readPod(podOf({}, { [list]: many(1000) })));
    t.throws(() => readPod(podOf({}, { [list]: many(1001) })), {
      message: `could not read the pod: spec.${list}: has 1001 items; the maximum is 1000`,
    });
  });
}

test('the status annotation counts only up to the limit of templates', (t) => {
  const containers = many(50_000).map(({ name }) => name);
  const pod = readPod(podOf({ annotations: { [tools.names.status]: JSON.stringify({ containers }) } }));
  t.is(previousInjection(pod, tools.names).injected.containers.length, 100);
});
