import test from 'ava';
import type { CredentialState, CredentialStore } from '../../../src/model/gateways/credential.js';
import { createSubjectLog } from '../../../src/telemetry/subject-log.js';
import { createConnectionCredentials } from '../../../src/xds/secrets/connection-credentials.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { SECRET_ENCODER } from './secret-sources.js';

const USABLE: CredentialState = { type: 'certificate', chain: 'chain', privateKey: 'PRIVATE' };

/** Has credentials by `<namespace>/<name>`. */
function createStore(states: Readonly<Record<string, CredentialState>>) {
  const read: string[] = [];
  const open = new Set<string>();
  const store: CredentialStore = {
    open: (namespace) => {
      open.add(namespace);
      return {
        read: (name) => {
          read.push(`${namespace}/${name}`);
          return states[`${namespace}/${name}`] ?? { type: 'unusable', reason: 'it does not exist' };
        },
        close: () => void open.delete(namespace),
      };
    },
    stop: async () => undefined,
  };
  return { store, read, open };
}

function connect(states: Readonly<Record<string, CredentialState>>, isRouter = true) {
  const { store, read, open } = createStore(states);
  const logger = createRecordingLogger();
  let refusals = 0;
  const credentials = createConnectionCredentials({
    store,
    encoder: SECRET_ENCODER,
    namespace: 'edge',
    isRouter,
    usesCredential: (name) => name === 'shop',
    onChange: () => undefined,
    log: createSubjectLog(logger, createFakeClock()),
    onRefused: () => void refusals++,
  });
  return { credentials, read, open, logger, refusals: () => refusals };
}

test('a router gets a credential of its own namespace that its Gateways name', (t) => {
  const { credentials, read } = connect({ 'edge/shop': USABLE, 'other/shop': USABLE });
  const resource = credentials.resourceOf('kubernetes://shop');
  if (resource === undefined || resource === 'missing') return t.fail();
  t.is(resource.name, 'kubernetes://shop');
  t.deepEqual(read, ['edge/shop']);
  t.is(credentials.resourceOf('kubernetes://shop'), resource);
});

test('no name reaches another namespace, another folder or a credential that no object names', (t) => {
  const { credentials, read, logger } = connect({ 'edge/vault': USABLE, 'other/shop': USABLE });
  const names = ['kubernetes://vault', 'kubernetes://other/shop', 'kubernetes://../other/shop', 'kubernetes://'];
  for (const name of names) t.is(credentials.resourceOf(name), 'missing');
  t.deepEqual(read, []);
  t.deepEqual(
    logger.records.map(({ fields }) => fields['reason']),
    ['no Gateway that selects the router names it, nor a DestinationRule'],
  );
});

test('a credential that cannot be served counts once for each reason, and again after it was served', (t) => {
  const states: Record<string, CredentialState> = {};
  const { credentials, refusals } = connect(states);
  const ask = () => credentials.resourceOf('kubernetes://shop');
  for (let round = 0; round < 3; round++) ask();
  t.is(refusals(), 1);
  states['edge/shop'] = { type: 'unusable', reason: 'its key cannot be read' };
  ask();
  t.is(refusals(), 2);
  states['edge/shop'] = USABLE;
  t.not(ask(), 'missing');
  t.is(refusals(), 2);
  delete states['edge/shop'];
  ask();
  t.is(refusals(), 3);
});

test('an unusable credential is told once in a while, without its content', (t) => {
  const { credentials, logger } = connect({});
  for (let round = 0; round < 3; round++) t.is(credentials.resourceOf('kubernetes://shop-cacert'), 'missing');
  t.is(logger.records.length, 1);
  t.deepEqual(logger.records[0]?.fields, {
    namespace: 'edge',
    secret: 'kubernetes://shop-cacert',
    reason: 'it does not exist',
  });
});

test('a sidecar gets no credentials', (t) => {
  const { credentials, read } = connect({ 'edge/shop': USABLE }, false);
  for (const name of ['kubernetes://shop', 'file-root:/etc/certs/ca.crt'])
    t.is(credentials.resourceOf(name), undefined);
  t.deepEqual(read, []);
});

test('a closed connection has no credential and reads none', (t) => {
  const { credentials, open } = connect({ 'edge/shop': USABLE });
  credentials.resourceOf('kubernetes://shop');
  t.is(open.size, 1);
  credentials.close();
  t.is(open.size, 0);
  t.is(credentials.resourceOf('kubernetes://shop'), 'missing');
});
