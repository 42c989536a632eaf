import test from 'ava';
import { objectKey } from '../../../src/config/object.js';
import type { CredentialState, CredentialStore } from '../../../src/model/gateways/credential.js';
import type { CredentialUser } from '../../../src/model/gateways/credential-references.js';
import { createSubjectLog } from '../../../src/telemetry/subject-log.js';
import { createConnectionCredentials } from '../../../src/xds/secrets/connection-credentials.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { SECRET_ENCODER } from './secret-sources.js';

const USABLE: CredentialState = { type: 'certificate', chain: 'chain', privateKey: 'PRIVATE' };

/** Has credentials by `<namespace>/<name>`. */
function createStore(states: Readonly<Record<string, CredentialState>>) {
  const stale: Record<string, string> = {};
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
        staleReasonOf: (name) => stale[`${namespace}/${name}`],
        close: () => void open.delete(namespace),
      };
    },
    stop: async () => undefined,
  };
  return { store, read, open, stale };
}

/** The field that names the credential. */
const USER: CredentialUser = {
  object: objectKey('Gateway', 'edge', 'ingress'),
  field: 'spec.servers[0].tls.credentialName',
};

function connect(states: Readonly<Record<string, CredentialState>>, isRouter = true, isNeeded = () => true) {
  const { store, read, open, stale } = createStore(states);
  const logger = createRecordingLogger();
  let refusals = 0;
  const credentials = createConnectionCredentials({
    store,
    encoder: SECRET_ENCODER,
    namespace: 'edge',
    isRouter,
    usersOfCredential: ({ credentialName }) => (credentialName === 'shop' && isNeeded() ? [USER] : []),
    onChange: () => undefined,
    log: createSubjectLog(logger, createFakeClock()),
    onRefused: () => void refusals++,
    nowMs: () => Date.UTC(2030, 0, 1),
  });
  return { credentials, read, open, logger, stale, refusals: () => refusals };
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

test('a credential that is missing, malformed, stale or expired is a problem of the field that names it', (t) => {
  const states: Record<string, CredentialState> = {};
  let isNeeded = true;
  const { credentials, stale } = connect(states, true, () => isNeeded);
  const problemsAfterAsking = () => {
    credentials.resourceOf('kubernetes://shop');
    credentials.resourceOf('kubernetes://vault');
    return credentials.problems();
  };
  const name = 'the secret shop of namespace edge';
  t.deepEqual(problemsAfterAsking(), [{ ...USER, text: `${name} cannot be used: it does not exist` }]);
  states['edge/shop'] = USABLE;
  t.deepEqual(problemsAfterAsking(), []);
  stale['edge/shop'] = 'its key cannot be read';
  t.deepEqual(problemsAfterAsking(), [
    {
      ...USER,
      text: `${name} has changed and cannot be used, so its last content stays in force: its key cannot be read`,
    },
  ]);
  delete stale['edge/shop'];
  states['edge/shop'] = { ...USABLE, expiresAtMs: Date.UTC(2029, 11, 31) };
  t.deepEqual(problemsAfterAsking(), [
    { ...USER, text: `the certificate in ${name} expired at 2029-12-31T00:00:00.000Z, so clients reject it` },
  ]);
  isNeeded = false;
  t.deepEqual(credentials.problems(), [], 'no object names it any more');
});
