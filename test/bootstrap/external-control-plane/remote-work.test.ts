import test from 'ava';
import {
  type ClusterWorkFactory,
  createRemoteWork,
} from '../../../src/bootstrap/external-control-plane/remote-work.js';
import type { ReachedCluster } from '../../../src/sources/clusters/remote-clusters.js';
import { createRecordingLogger } from '../../sources/support/recording-logger.js';

function cluster(id: string, server = `https://${id}`): ReachedCluster {
  const link = {
    send: () => Promise.reject(new Error('nothing is sent here')),
    createWatcher: () => {
      throw new Error('nothing is watched here');
    },
  };
  return { id, server, link };
}

function createRig() {
  const logger = createRecordingLogger();
  const work = createRemoteWork(logger);
  const story: string[] = [];
  const factory: ClusterWorkFactory = ({ server }) => ({
    start: () => void story.push(`start ${server}`),
    stop: async () => {
      await Promise.resolve();
      story.push(`stop ${server}`);
    },
  });
  return { work, story, factory, logger };
}

test('work begins in clusters that were reached before, and in those that come', (t) => {
  const { work, story, factory } = createRig();
  work.observer.reached(cluster('west'));
  t.deepEqual(story, []);
  work.begin([factory]);
  work.observer.reached(cluster('north'));
  t.deepEqual(story, ['start https://west', 'start https://north']);
});

test('a cluster that is reached anew is worked on by its new access', async (t) => {
  const { work, story, factory } = createRig();
  work.begin([factory]);
  work.observer.reached(cluster('west', 'https://before'));
  work.observer.reached(cluster('west', 'https://after'));
  await work.stop();
  t.deepEqual(story, ['start https://before', 'start https://after', 'stop https://before', 'stop https://after']);
});

test('work ends in a cluster that is removed, and everywhere in the end', async (t) => {
  const { work, story, factory } = createRig();
  work.begin([factory]);
  work.observer.reached(cluster('west'));
  work.observer.reached(cluster('north'));
  void work.observer.removed('west');
  void work.observer.removed('unheard-of');
  await work.stop();
  t.deepEqual(story.slice(2), ['stop https://west', 'stop https://north']);
  work.observer.reached(cluster('east'));
  work.begin([factory]);
  t.is(story.length, 4);
});

test('a task that fails to stop is logged, and the other tasks stop', async (t) => {
  const { work, story, factory, logger } = createRig();
  const bad: ClusterWorkFactory = () => ({ start: () => undefined, stop: () => Promise.reject(new Error('stuck')) });
  work.begin([bad, factory]);
  work.observer.reached(cluster('west'));
  await work.stop();
  t.deepEqual(story, ['start https://west', 'stop https://west']);
  t.like(logger.entries[0], { level: 'warn', fields: { cluster: 'west' } });
});
