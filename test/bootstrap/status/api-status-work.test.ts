import test from 'ava';
import { startApiStatusWork } from '../../../src/bootstrap/status/api-status-work.js';
import type { StatusSettings } from '../../../src/bootstrap/status/status-settings.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';

const SETTINGS: StatusSettings = {
  ...{ hasConditions: true, hasMessages: false, isPluginOn: false },
  ...{ perSecond: 20, burst: 100 },
  ...{ namespace: 'mesh-system', appNamespaces: [], podName: 'meshd-0', revision: '' },
};

test('an API server that never answers delays the end of status writers by 3 seconds at most', async (t) => {
  const clock = createFakeClock();
  const asked: string[] = [];
  const work = startApiStatusWork({
    cluster: {
      send: ({ path }) => {
        asked.push(path);
        return new Promise(() => undefined);
      },
      createWatcher: () => t.fail('it never leads') as never,
    },
    settings: SETTINGS,
    identity: 'meshd-0',
    lease: 'mesh-leader',
    definitions: [],
    wanted: () => [],
    clock,
    logger: createRecordingLogger(),
  });
  t.is(asked.length, 1);
  const stopped = work.stop();
  clock.advance(3_000);
  await t.notThrowsAsync(stopped);
});
