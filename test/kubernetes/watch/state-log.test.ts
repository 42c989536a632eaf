import test from 'ava';
import { createKindRegistry } from '../../../src/config/kinds.js';
import { DEFAULT_MESH_DOMAIN } from '../../../src/config/mesh-domain.js';
import { ApiError } from '../../../src/kubernetes/client/api-error.js';
import type { ReflectorState } from '../../../src/kubernetes/watch/judge-failure.js';
import { createStateLog } from '../../../src/kubernetes/watch/state-log.js';
import { watchedResources } from '../../../src/sources/kubernetes/watched-resources.js';
import { createManualClock } from '../../sources/support/manual-clock.js';
import { createRecordingLogger } from '../../sources/support/recording-logger.js';

const kinds = createKindRegistry(DEFAULT_MESH_DOMAIN);
const resources = watchedResources({
  kinds,
  namespaces: [],
  useEndpointSlice: false,
  readsCoreKinds: true,
  readsMeshKinds: true,
});

function createRig() {
  const logger = createRecordingLogger();
  const clock = createManualClock();
  const log = createStateLog({ server: 'https://api', logger, clock });
  const updateAll = (state: ReflectorState): void => {
    for (const resource of resources) log.update(resource, state);
  };
  const told = (level: string): readonly string[] =>
    logger.entries.filter((entry) => entry.level === level).map(({ message }) => message);
  return { log, logger, clock, updateAll, told };
}

test('an outage is told once for all that is watched, and its end once with how long it was', (t) => {
  const { logger, clock, updateAll, told } = createRig();
  updateAll({ type: 'synced' });
  for (let retry = 0; retry < 3; retry += 1) {
    updateAll({ type: 'failing', err: new Error('ECONNREFUSED') });
    clock.advance(1_000);
  }
  t.is(told('warn').length, 1);
  updateAll({ type: 'synced' });
  t.is(told('info').length, 1);
  t.is(logger.entries.at(-1)?.fields['outageMs'], 3_000);
});

test('a right that is missing is an error once, with verb and resource, also across an outage', (t) => {
  const { log, logger, told } = createRig();
  const resource = resources.find(({ definition }) => definition.kind === 'QuotaSpec') as (typeof resources)[number];
  const err = new ApiError(403, { message: 'quotaspecs is forbidden' });
  for (const state of [
    { type: 'forbidden', verb: 'list', err },
    { type: 'failing', err: new Error('ECONNREFUSED') },
    { type: 'forbidden', verb: 'list', err },
  ] as const) {
    log.update(resource, state);
  }
  t.is(told('error').length, 1);
  const entry = logger.entries.find(({ level }) => level === 'error');
  t.like(entry?.fields, { resource: 'quotaspecs.config.mesh.internal', verb: 'list', err });
  t.deepEqual(log.forbidden(), ['quotaspecs.config.mesh.internal: quotaspecs is forbidden']);
  log.update(resource, { type: 'synced' });
  t.deepEqual(log.forbidden(), []);
  t.is(told('info').filter((message) => message === 'a kind of object may be read now').length, 1);
});

test('a kind that is not installed is told of once, and when it comes', (t) => {
  const { log, told } = createRig();
  const [resource] = resources;
  if (resource === undefined) return t.fail();
  log.update(resource, { type: 'missing' });
  log.update(resource, { type: 'missing' });
  log.update(resource, { type: 'synced' });
  t.deepEqual(told('info'), [
    'a kind of object is not installed, it is read as soon as its CRD is there',
    'a kind of object is installed now, and read',
  ]);
  t.deepEqual(told('warn'), []);
});
