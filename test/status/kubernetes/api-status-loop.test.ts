import test from 'ava';
import { createKindRegistry } from '../../../src/config/kinds.js';
import type { ApiAnswer, ApiRequest } from '../../../src/kubernetes/client/api-sender.js';
import { createApiStatusLoop, createApiStatusObjects } from '../../../src/status/kubernetes/api-status-loop.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';

const INGRESS = createKindRegistry('mesh.internal').definitions.find(({ kind }) => kind === 'Ingress');
const KEY = 'Ingress/shop/web';

interface Written {
  readonly metadata: { readonly resourceVersion: string };
  readonly status: Readonly<Record<string, unknown>>;
}

/** An API server with one Ingress, whose answers and watch events the test gives. */
function createRig() {
  if (INGRESS === undefined) throw new Error('the kind Ingress is not known');
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const writes: Written[] = [];
  const answers: ((answer: ApiAnswer) => void)[] = [];
  const send = ({ body }: ApiRequest): Promise<ApiAnswer> => {
    writes.push(body as Written);
    return new Promise((resolve) => answers.push(resolve));
  };
  let text = '';
  const objects = createApiStatusObjects(() => loop.changed());
  const loop = createApiStatusLoop({
    ...{ objects, send, clock, logger, perSecond: 0, burst: 1, random: () => 0.5 },
    wanted: () => [{ key: KEY, desired: () => ({ text }) }],
  });
  const raw = (resourceVersion: string, state: string) => ({
    metadata: { name: 'web', namespace: 'shop', resourceVersion },
    status: { text: state },
  });
  const sink = objects.sink(INGRESS);
  loop.start();
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    clock.advance(1000);
  };
  return {
    writes,
    logger,
    want: (state: string) => {
      text = state;
      loop.changed();
    },
    /** The watch reports a version of the object. */
    watch: (version: string, state: string) => sink.apply([{ type: 'MODIFIED', object: raw(version, state) }]),
    /** The API server answers the oldest write with the object that it made. */
    answer: async (status: number, version = '', state = '') => {
      answers.shift()?.({ status, body: raw(version, state), retryAfterMs: undefined });
      await settle();
    },
    settle,
  };
}

/** A rig whose loop has written the status `first` to version 1, and waits for the answer. */
async function createWritingRig() {
  const rig = createRig();
  rig.watch('1', '');
  rig.want('first');
  await rig.settle();
  return rig;
}

test('a change that the watch reports before the answer to a write stays, and the next write starts from it', async (t) => {
  const rig = await createWritingRig();
  // The API server writes version 2, a user makes version 3 at once, and the watch is faster than the answer.
  rig.watch('3', 'first');
  await rig.answer(200, '2', 'first');
  rig.want('second');
  await rig.settle();
  t.deepEqual(
    rig.writes.map(({ metadata, status }) => [metadata.resourceVersion, status['text']]),
    [
      ['1', 'first'],
      ['3', 'second'],
    ],
  );
});

test('the answer to a write is the state that the next write starts from, before the watch reports it', async (t) => {
  const rig = await createWritingRig();
  await rig.answer(200, '2', 'first');
  rig.want('second');
  await rig.settle();
  t.deepEqual(
    rig.writes.map(({ metadata }) => metadata.resourceVersion),
    ['1', '2'],
  );
});

test('a status that the API server does not keep is written again only after some time', async (t) => {
  const rig = await createWritingRig();
  await rig.answer(200, '2', '');
  await rig.settle();
  t.is(rig.writes.length, 1);
  t.is(rig.logger.records.filter(({ level }) => level === 'error').length, 1);
  for (let second = 0; second < 10; second++) await rig.settle();
  t.is(rig.writes.length, 2);
});
