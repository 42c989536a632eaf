import test, { type ExecutionContext } from 'ava';
import { inOneStep } from '../../../src/base/steps.js';
import { keyOf } from '../../../src/config/object.js';
import type { EncodedResource } from '../../../src/envoy/encoded-resource.js';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import type { WireMessage } from '../../../src/envoy/wire-message.js';
import type { ResourceGenerator } from '../../../src/generators/generator.js';
import { createPatchedGenerators } from '../../../src/generators/patches/patched-generators.js';
import { encodeClientConfig } from '../../../src/xds/client-status/client-config.js';
import { ProxySession } from '../../../src/xds/proxy-session.js';
import { createRestDocuments } from '../../../src/xds/rest/rest-documents.js';
import { RestNode } from '../../../src/xds/rest/rest-node.js';
import { createRestVariant } from '../../../src/xds/rest/rest-protocol.js';
import { RestStream } from '../../../src/xds/rest/rest-stream.js';
import { readObject } from '../../config/support/read-yaml.js';
import { buildContext } from '../../generators/context-builder.js';
import { ENCODER } from '../../generators/served-resources.js';
import { eventually } from '../../support/eventually.js';
import { pushRequest } from '../../support/push-requests.js';
import { connectSession as connectDelta } from '../delta/delta-client.js';
import {
  bytesOf,
  createProbeStream,
  createRig,
  discoveryRequest,
  type RequestFields,
  type Rig,
  readResponse,
} from '../session-rig.js';

const NODE = 'sidecar~10.0.0.1~pod.ns~ns.svc.cluster.local';
const CLIENT_CONFIG = loadProtoRegistry().type('envoy.service.status.v3.ClientConfig');
/** `per_connection_buffer_limit_bytes: 9` in an encoded cluster. */
const TUNED = '*\x02\b\t';
const ERROR = 'Error adding/updating cluster(s) a: no such file';

const merging = (text: string, service?: string) => ({
  applyTo: 'CLUSTER',
  ...(service === undefined ? {} : { match: { cluster: { name: service } } }),
  patch: { operation: 'MERGE', value: { alt_stat_name: text } },
});

function filter(name: string, patches: readonly object[]) {
  return readObject(
    JSON.stringify({
      apiVersion: 'networking.mesh.internal/v1beta1',
      kind: 'EnvoyFilter',
      metadata: { name, namespace: 'ns' },
      spec: { configPatches: patches },
    }),
  );
}

/** A rig whose clusters the EnvoyFilters of namespace `ns` change. */
function createPatchedRig() {
  let objects = new Map<string, ReturnType<typeof filter>>();
  let sequence = 0;
  const rig = createRig({
    encodeBody: (typeUrl, name, body) => {
      if (typeUrl !== TypeUrl.cluster) return Buffer.from(`${name}=${body}`);
      return ENCODER.encode(TypeUrl.cluster, { name, connectTimeout: { seconds: body, nanos: 0 } });
    },
    wrap: (generators: readonly ResourceGenerator[]) => createPatchedGenerators(generators),
    nextContext: () => ({
      ...buildContext(),
      sequence: ++sequence,
      version: `v${sequence}`,
      objects: new Map([['EnvoyFilter', objects]]),
    }),
  });
  const apply = (...filters: ReturnType<typeof filter>[]): void => {
    objects = new Map(filters.map((object) => [keyOf(object), object]));
    rig.distributor.submit(pushRequest({ changed: 'everything' }));
    rig.clock.advance(0);
  };
  return { rig, apply };
}

/** The texts that patches set in each cluster of a response. */
function patchesIn(bytes: Uint8Array): readonly string[] {
  return readResponse(bytes).bodies.map((body) => /a-patch|b-patch|good/.exec(body)?.[0] ?? 'none');
}

function connect(rig: Rig) {
  const stream = createProbeStream();
  const session = new ProxySession(rig.environment, stream);
  const receive = (fields: RequestFields): void => {
    void session.receive(discoveryRequest({ typeUrl: TypeUrl.cluster, ...fields }));
  };
  let read = 0;
  const next = async () => {
    await eventually(`response ${read + 1}`, () => stream.sent.length > read);
    const bytes = bytesOf(stream.sent[read++] as WireMessage);
    return { nonce: readResponse(bytes).nonce, patches: patchesIn(bytes) };
  };
  receive({ node: NODE });
  return {
    next,
    ack: (nonce: string) => receive({ nonce, version: 'any' }),
    reject: (nonce: string, error = ERROR) => receive({ nonce, error }),
    hasMore: () => stream.sent.length > read,
  };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Without repetitions: the resources of a trial are remembered for a while. */
const findingsOf = ({ distributor }: Rig) => [
  ...new Set(distributor.resources.findings().map(({ object, message }) => `${object}: ${message}`)),
];

test('a starting proxy gets the clusters without the patch that it rejects, and the patch is named on its object', async (t) => {
  const { rig, apply } = createPatchedRig();
  apply(filter('f', [merging('a-patch', 'a'), merging('good', 'b')]));
  const proxy = connect(rig);
  const first = await proxy.next();
  t.deepEqual(first.patches, ['a-patch', 'good']);
  // Envoy ends its text with a line break.
  proxy.reject(first.nonce, `${ERROR} \n`);
  const second = await proxy.next();
  t.deepEqual(second.patches, ['none', 'good']);
  proxy.ack(second.nonce);
  await settle();
  t.false(proxy.hasMore());
  t.deepEqual(findingsOf(rig), [
    `EnvoyFilter/ns/f: the patch is not applied to a: proxies of namespace ns reject it: ${ERROR}`,
  ]);
  t.is(rig.counts['patchesWithheld cds'], 1);
  t.true(rig.logger.records.some(({ message }) => message.includes('withheld')));
});

test('a running proxy keeps what it has, needs no response, and gets the corrected patch', async (t) => {
  const { rig, apply } = createPatchedRig();
  const proxy = connect(rig);
  proxy.ack((await proxy.next()).nonce);
  apply(filter('f', [merging('a-patch', 'a')]));
  const rejected = await proxy.next();
  t.deepEqual(rejected.patches, ['a-patch', 'none']);
  proxy.reject(rejected.nonce);
  await settle();
  t.false(proxy.hasMore());
  t.is(findingsOf(rig).length, 1);
  const watch = [...rig.sessions][0]?.snapshot()?.watches.get(TypeUrl.cluster);
  t.is(watch?.rejection, undefined);
  t.is(watch?.sentNonce, watch?.ackedNonce, 'no answer is missing');
  t.is(watch?.sentVersion, watch?.ackedVersion);
  apply(filter('f', [merging('good', 'a')]));
  const corrected = await proxy.next();
  t.deepEqual(corrected.patches, ['good', 'none']);
  proxy.ack(corrected.nonce);
  await settle();
  t.deepEqual(findingsOf(rig), []);
});

test('of several patches of one cluster, only the one that the proxy rejects stays away', async (t) => {
  const { rig, apply } = createPatchedRig();
  const tuned = { ...merging('', 'a'), patch: { operation: 'MERGE', value: { per_connection_buffer_limit_bytes: 9 } } };
  apply(filter('tuned', [tuned]), filter('named', [merging('a-patch', 'a')]));
  const proxy = connect(rig);
  const seen: (readonly string[])[] = [];
  for (let response = 0; response < 4; response++) {
    const { nonce, patches } = await proxy.next();
    seen.push(patches);
    if (patches.includes('a-patch')) proxy.reject(nonce);
    else proxy.ack(nonce);
    await settle();
    if (!proxy.hasMore()) break;
  }
  t.deepEqual(seen.at(-1), ['none', 'none']);
  const findings = findingsOf(rig);
  t.is(findings.length, 1);
  t.true(findings[0]?.startsWith('EnvoyFilter/ns/named: '));
});

test('a cluster that a patch adds is left out if the proxy rejects it', async (t) => {
  const { rig, apply } = createPatchedRig();
  const added = { applyTo: 'CLUSTER', patch: { operation: 'ADD', value: { name: 'added', alt_stat_name: 'a-patch' } } };
  apply(filter('f', [added, merging('good', 'b')]));
  const proxy = connect(rig);
  const first = await proxy.next();
  t.deepEqual(first.patches, ['none', 'good', 'a-patch']);
  proxy.reject(first.nonce, 'Error adding/updating cluster(s) added: no endpoints');
  t.deepEqual((await proxy.next()).patches, ['none', 'good']);
  t.is(findingsOf(rig).length, 1);
});

test('a proxy that rejects everything changes nothing for another proxy of its namespace', async (t) => {
  const { rig, apply } = createPatchedRig();
  apply(filter('f', [merging('a-patch', 'a'), merging('b-patch', 'b')]));
  const hostile = connect(rig);
  let rejected = 0;
  for (; rejected < 10; rejected++) {
    const { nonce } = await hostile.next();
    hostile.reject(nonce, 'no');
    await settle();
    if (!hostile.hasMore()) break;
  }
  t.true(rejected < 5, `${rejected} responses`);
  const other = connect(rig);
  const { patches } = await other.next();
  t.deepEqual(patches, ['a-patch', 'b-patch']);
});

test('a proxy that connects again gets all patches again', async (t) => {
  const { rig, apply } = createPatchedRig();
  apply(filter('f', [merging('a-patch', 'a')]));
  const before = connect(rig);
  before.reject((await before.next()).nonce);
  t.deepEqual((await before.next()).patches, ['none', 'none']);
  t.deepEqual((await connect(rig).next()).patches, ['a-patch', 'none']);
});

test('over delta, a proxy gets the rejected cluster without its patch', async (t: ExecutionContext) => {
  const { rig, apply } = createPatchedRig();
  apply(filter('f', [merging('a-patch', 'a'), merging('good', 'b')]));
  const { client } = connectDelta(rig);
  client.send('cds');
  const first = await client.next('cds');
  client.send('cds', { nonce: first.nonce, error: ERROR });
  const second = await client.next('cds');
  const texts = second.resources.map(({ name, body }) => `${name} ${/a-patch|good/.exec(String(body))?.[0] ?? 'none'}`);
  t.deepEqual(texts, ['a none', 'b good']);
  client.ack(second);
  await settle();
  t.is(findingsOf(rig).length, 1);
});

test('over delta, the patches that the proxy takes come back once it has acknowledged its clusters', async (t) => {
  const { rig, apply } = createPatchedRig();
  const tuned = { ...merging('', 'a'), patch: { operation: 'MERGE', value: { per_connection_buffer_limit_bytes: 9 } } };
  apply(filter('tuned', [tuned]), filter('named', [merging('a-patch', 'a')]));
  const { client } = connectDelta(rig);
  client.send('cds');
  let texts: readonly string[] = [];
  for (let response = 0; response < 6 && !texts.some((text) => text.includes(TUNED)); response++) {
    const answered = await client.next('cds');
    texts = answered.resources.map(({ body }) => String(body));
    if (texts.some((text) => text.includes('a-patch'))) {
      texts = [];
      client.send('cds', { nonce: answered.nonce, error: ERROR });
    } else client.ack(answered);
  }
  t.true(texts.some((text) => text.includes(TUNED)));
  await eventually('the rejected patch alone stays away', () => findingsOf(rig).length === 1);
  t.true(findingsOf(rig)[0]?.startsWith('EnvoyFilter/ns/named: '));
});

test('over REST, the patches that the proxy takes come back at the poll that accepts its clusters', async (t) => {
  const { rig, apply } = createPatchedRig();
  const tuned = { ...merging('', 'a'), patch: { operation: 'MERGE', value: { per_connection_buffer_limit_bytes: 9 } } };
  apply(filter('tuned', [tuned]), filter('named', [merging('a-patch', 'a')]));
  const poll = connectRest(rig);
  let accepted = '';
  let answered = await poll({ node: NODE });
  for (let polls = 1; polls < 6 && (answered.text.includes('a-patch') || !answered.text.includes(TUNED)); polls++) {
    if (answered.text.includes('a-patch')) answered = await poll({ version: accepted, error: ERROR });
    else {
      accepted = answered.version;
      answered = await poll({ version: accepted });
    }
  }
  t.true(answered.text.includes(TUNED) && !answered.text.includes('a-patch'), answered.text);
});

/** Polls for clusters with one session, as a REST proxy does. @returns the next answer */
function connectRest(rig: Rig) {
  const stream = new RestStream('127.0.0.1:1', 'rest', () => undefined);
  const json = { resourceToJson: ({ entry }: EncodedResource) => entry.toString('latin1') };
  const { cluster: typeUrl } = TypeUrl;
  const node = new RestNode(rig.clock, 0);
  const variant = createRestVariant({ stream, documents: createRestDocuments(json), node, typeUrl });
  const session = new ProxySession(rig.environment, stream, { onlyType: typeUrl, variant });
  return (fields: RequestFields): Promise<{ readonly version: string; readonly text: string }> =>
    new Promise((resolve, reject) => {
      const never = (): void => reject(new Error('the poll has no answer'));
      stream.begin({
        ...{ peer: stream.peer, mayWait: true, isOver: false, unchanged: never, fail: reject },
        answer: (message, done) => {
          const { versionInfo, resources } = JSON.parse(String(bytesOf(message)));
          resolve({ version: versionInfo, text: resources.join() });
          queueMicrotask(done);
        },
      });
      void session.receive(discoveryRequest({ typeUrl, ...fields }));
    });
}

test('the client status takes the clusters without the withheld patch for those that the proxy should have', async (t) => {
  const { rig, apply } = createPatchedRig();
  apply(filter('f', [merging('a-patch', 'a')]));
  const proxy = connect(rig);
  proxy.reject((await proxy.next()).nonce);
  const second = await proxy.next();
  t.deepEqual(second.patches, ['none', 'none']);
  proxy.ack(second.nonce);
  const [session] = rig.sessions as Set<ProxySession>;
  const bytes = inOneStep(
    encodeClientConfig({
      ...{ session: session as ProxySession, hasContents: false, hasReasons: true },
      onBytes: () => undefined,
    }),
  );
  const config = CLIENT_CONFIG.toObject(CLIENT_CONFIG.decode(bytes), { enums: String }) as {
    readonly genericXdsConfigs: readonly { readonly name: string; readonly configStatus: string }[];
  };
  t.deepEqual(
    config.genericXdsConfigs.map(({ name, configStatus }) => `${name} ${configStatus}`),
    ['a SYNCED', 'b SYNCED'],
  );
});
