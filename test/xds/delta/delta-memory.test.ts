import test from 'ava';
import { inOneStep } from '../../../src/base/steps.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { createSecretService } from '../../../src/xds/secrets/secret-service.js';
import { collectGarbage } from '../../support/collect-garbage.js';
import { eventually } from '../../support/eventually.js';
import { createManualSource, SECRET_ENCODER } from '../secrets/secret-sources.js';
import { createRig, type Rig } from '../session-rig.js';
import { connectSession, NODE, openSessions, push, type ShortType, TYPES } from './delta-client.js';
import { type DeltaResponse, deltaRequest, readDeltaResponse } from './delta-messages.js';

const versionsOf = ({ resources }: DeltaResponse) =>
  Object.fromEntries(resources.map(({ name, version }) => [name, version]));

const heldBytes = ({ environment }: Rig): number => environment.peers.heldBytes;

test('D22: secrets are sent again, although equal, after a reconnect that changes clusters', async (t) => {
  const rig = createRig();
  const source = createManualSource({ chain: 'chain', privateKey: 'key', roots: 'roots' });
  const secrets = createSecretService(source, { ...rig.environment, encoder: SECRET_ENCODER, controlPlane: 'test' });
  const secured = { ...rig, environment: { ...rig.environment, secrets } };
  const callerIdentities = [{ trustDomain: 'cluster.local', namespace: 'ns', serviceAccount: 'web' }];
  const connect = () => {
    const { session, stream } = connectSession(secured, { callerIdentities });
    const receive = (typeUrl: string, fields = {}) =>
      void session.receive(deltaRequest({ node: NODE, typeUrl, ...fields }));
    const response = (typeUrl: string) =>
      eventually(`a response of ${typeUrl}`, () =>
        stream.sent
          .map(({ pieces }) => readDeltaResponse(Buffer.concat(pieces)))
          .find((one) => one.typeUrl === typeUrl),
      );
    return { session, receive, response };
  };
  const before = connect();
  before.receive(TypeUrl.cluster);
  before.receive(TypeUrl.secret, { subscribe: ['default', 'ROOTCA'] });
  const clusters = await before.response(TypeUrl.cluster);
  const held = await before.response(TypeUrl.secret);
  t.deepEqual(
    held.resources.map(({ name }) => name),
    ['ROOTCA', 'default'],
  );
  before.session.close();
  push({ rig }, { clusters: { a: '2', b: '1' } });
  const after = connect();
  after.receive(TypeUrl.cluster, { versions: versionsOf(clusters) });
  await after.response(TypeUrl.cluster);
  after.receive(TypeUrl.secret, { subscribe: ['default', 'ROOTCA'], versions: versionsOf(held) });
  const again = await after.response(TypeUrl.secret);
  t.deepEqual(versionsOf(again), versionsOf(held));
});

test('D26: streams that ended leave neither names nor resources in memory', async (t) => {
  const rig = createRig();
  const ended: WeakRef<object>[] = [];
  for (let round = 0; round < 20; round++) {
    const streams = Array.from({ length: 50 }, (_, index) => {
      const { session, stream, client } = connectSession(rig);
      client.send('eds', { subscribe: ['a', `own-${round}-${index}`], versions: { a: `old-${round}-${index}` } });
      return { session, stream, client };
    });
    await eventually('every stream is answered', () => streams.every(({ stream }) => stream.sent.length === 1));
    for (const { session, client } of streams) {
      const names = session.namesOf(TYPES.eds);
      if (names !== undefined) ended.push(new WeakRef(names));
      client.close();
      rig.sessions.delete(session);
    }
  }
  t.is(ended.length, 1_000);
  await eventually('the names of ended streams are freed', () => {
    collectGarbage();
    // The last round may still be referenced by the turn of the event loop that made it.
    return ended.filter((each) => each.deref() !== undefined).length <= 50;
  });
});

test('D27: the versions that a client brings are freed after the first answer', async (t) => {
  const rig = createRig();
  const { client } = connectSession(rig);
  const versions = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`gone-${index}`, 'old']));
  client.send('cds', { subscribe: ['*'], versions });
  t.true(heldBytes(rig) > 200 * 100);
  const answer = await client.next('cds');
  t.is(answer.removed.length, 200);
  client.ack(answer);
  await client.nothing(t);
  t.true(heldBytes(rig) < 200 * 100, `${heldBytes(rig)} bytes`);
});

test('D28: another replica has the same versions, so a client that moves to it gets only what differs', async (t) => {
  const [first, second] = [openSessions(t, { controlPlane: 'one' }), openSessions(t, { controlPlane: 'two' })];
  const before = first.connect();
  before.send('cds');
  before.send('eds', { subscribe: ['a', 'b'] });
  const held = { cds: versionsOf(await before.next('cds')), eds: versionsOf(await before.next('eds')) };
  push(second, { endpoints: { a: '1', b: '2' } });
  const after = second.connect();
  after.send('cds', { subscribe: ['*'], versions: held.cds });
  after.send('eds', { subscribe: ['a', 'b'], versions: held.eds });
  t.deepEqual(await after.told('eds'), { has: ['b=2'], lacks: [] });
  await after.nothing(t);
  const watch = [...second.rig.sessions][0]?.snapshot()?.watches.get(TYPES.cds);
  t.is(watch?.ackedConfigVersion, second.rig.distributor.configVersion);
});

test('streams with equal names and resources get the very same bytes', async (t) => {
  const rig = createRig();
  const streams = Array.from({ length: 3 }, () => connectSession(rig));
  const types: readonly ShortType[] = ['cds', 'eds'];
  for (const { client } of streams) {
    client.send('cds');
    client.send('eds', { subscribe: ['a', 'b'] });
    for (const type of types) await client.told(type);
  }
  push({ rig }, { endpoints: { a: '2', b: '1' } }, { full: false, endpoints: new Set(['a']) });
  for (const { client } of streams) t.deepEqual(await client.told('eds'), { has: ['a=2'], lacks: [] });
  const [one, ...others] = streams.map(({ stream }) => stream.sent.at(-1));
  for (const other of others) t.is(other, one);
});

test('streams of equal names share one set of names, whatever the order in which they asked', async (t) => {
  const rig = createRig();
  const [one, other] = [connectSession(rig), connectSession(rig)];
  one.client.send('eds', { subscribe: ['a', 'b', 'c'] });
  other.client.send('eds', { subscribe: ['c'] });
  other.client.send('eds', { subscribe: ['d', 'b', 'a'] });
  other.client.send('eds', { unsubscribe: ['d'] });
  t.is(one.session.namesOf(TYPES.eds), other.session.namesOf(TYPES.eds));
});

test('a request with more names than the limit ends the stream, in each of its lists', (t) => {
  const rig = createRig({ limits: { names: 3 } });
  const names = ['a', 'b', 'c', 'd'];
  const versions = Object.fromEntries(names.map((name) => [name, '1']));
  for (const request of [{ subscribe: names }, { unsubscribe: names }, { versions }]) {
    const { session } = connectSession(rig);
    const bytes = deltaRequest({ node: NODE, typeUrl: TYPES.eds, ...request });
    t.throws(() => session.receive(bytes), { message: /names more than 3 resources; .* NAV_XDS_MAX_NAMES / });
  }
});

test('names that are added one by one count as one subscription', (t) => {
  const { session, client } = connectSession(createRig({ limits: { names: 3 } }));
  client.send('eds', { subscribe: ['a', 'b', 'c'] });
  client.send('eds', { subscribe: ['a'] });
  const bytes = deltaRequest({ typeUrl: TYPES.eds, subscribe: ['d'] });
  t.throws(() => session.receive(bytes), { message: /NAV_XDS_MAX_NAMES/ });
});

test('bytes that are no DeltaDiscoveryRequest, or no versions, end the stream by name', (t) => {
  const broken = Buffer.from([0x2a, 0x01, 0x0f]);
  for (const bytes of [
    Buffer.from([0xff, 0xff, 0xff]),
    Buffer.concat([deltaRequest({ node: NODE, typeUrl: TYPES.cds }), broken]),
  ]) {
    const { session } = connectSession(createRig());
    t.throws(() => session.receive(bytes), { code: 'INVALID_ARGUMENT' });
  }
});

test('names that a client drops before they are answered count until they are', (t) => {
  const rig = createRig({ limits: { names: 3 } });
  const { session, stream, client } = connectSession(rig);
  stream.stall = true;
  client.send('cds');
  const round = (names: readonly string[]): void => {
    client.send('cds', { subscribe: names });
    void session.receive(deltaRequest({ typeUrl: TYPES.cds, unsubscribe: names }));
  };
  const before = heldBytes(rig);
  round(['x1']);
  t.true(heldBytes(rig) > before);
  round(['x2']);
  t.throws(() => round(['x3', 'x4']), { message: /NAV_XDS_MAX_NAMES/ });
});

test('a request that changes a large subscription counts as more than one', async (t) => {
  const { session, client } = connectSession(createRig());
  client.send('eds', { subscribe: Array.from({ length: 2_000 }, (_, index) => `name-${index}`) });
  const response = await client.next('eds');
  t.is(session.receive(deltaRequest({ typeUrl: TYPES.eds, nonce: response.nonce })), 1);
  t.true(Number(await session.receive(deltaRequest({ typeUrl: TYPES.eds, subscribe: ['other'] }))) > 3);
});

test('streams that ask for everything again get the very same bytes', async (t) => {
  const rig = createRig();
  const streams = Array.from({ length: 2 }, () => connectSession(rig));
  for (const { client } of streams) {
    client.send('cds', { subscribe: ['*'] });
    await client.told('cds');
    client.send('cds', { subscribe: ['*'] });
  }
  for (const { client } of streams) t.deepEqual(await client.told('cds'), { has: ['a=1', 'b=1'], lacks: [] });
  const [one, other] = streams.map(({ stream }) => stream.sent.at(-1));
  t.is(other, one);
});

test('streams that need the same content at once encode it together', (t) => {
  const { environment } = createRig();
  let encoded = 0;
  const resources = Array.from({ length: 1_000 }, (_, index) => ({
    name: `c${index}`,
    version: '1',
    get entry() {
      encoded++;
      return Buffer.from('entry');
    },
  }));
  const diff = { changed: resources, removed: [] };
  const [first, second] = [environment.delta.body(diff), environment.delta.body(diff)];
  t.false(first.next().done);
  t.false(second.next().done);
  t.is(inOneStep(first)[0], inOneStep(second)[0]);
  t.is(encoded, resources.length);
});

test('a push that takes long leaves its further types to another turn, and sends all of them', async (t) => {
  let turnMs = 0;
  const { rig, connect } = openSessions(t, {
    wrap: (generators) =>
      generators.map((generator) =>
        generator.mode !== 'named'
          ? generator
          : {
              ...generator,
              scope: (context, proxy) => {
                rig.clock.advance(turnMs);
                return generator.scope(context, proxy);
              },
            },
      ),
  });
  const client = connect();
  const types = ['eds', 'rds', 'ecds'] as const;
  for (const type of types) {
    client.send(type, { subscribe: ['a'] });
    await client.told(type);
  }
  turnMs = 20;
  const turns = rig.counts['queued'] ?? 0;
  push({ rig }, { endpoints: { a: '2' }, routes: { a: '2' }, extensions: { a: '2' } });
  for (const type of types) t.is((await client.told(type)).has.length, 1);
  t.true((rig.counts['queued'] ?? 0) - turns >= types.length, 'each type has a turn of its own');
});
