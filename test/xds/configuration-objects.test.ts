import { status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { createKindRegistry } from '../../src/config/kinds.js';
import { keyOf, type MeshObject } from '../../src/config/object.js';
import { createObjectGenerators } from '../../src/generators/objects/object-generators.js';
import { parseNode } from '../../src/model/parse-node.js';
import type { PushContext } from '../../src/model/push-context.js';
import { ProxySession } from '../../src/xds/proxy-session.js';
import { ENCODER } from '../generators/served-resources.js';
import { pushRequest } from '../support/push-requests.js';
import { createDefaultContext } from './default-context.js';
import { deltaRequest, readDeltaResponse } from './delta/delta-messages.js';
import { connectClient } from './grpc-client.js';
import { ADS, startRigServer } from './rig-server.js';
import { createSecuredRig } from './secured-rig.js';
import { createProbeStream, createRig, discoveryRequest } from './session-rig.js';

const TYPE = 'networking.mesh.internal/v1beta1/Sidecar';
const DELTA_ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources';
const NODE = 'sidecar~10.0.0.1~reader.shop~shop.svc.cluster.local';
const generators = createObjectGenerators(ENCODER, createKindRegistry('mesh.internal').definitions);

/** Node with an id alone, of a client that gets configuration objects. */
const readProxy = (node: Uint8Array) =>
  parseNode({
    id: Buffer.from(node.subarray(2)).toString(),
    metadata: { GENERATOR: 'api' },
    locality: { region: '', zone: '', subZone: '' },
    userAgentVersion: '',
  });

/** A mesh with the Sidecars `shop/own` and `money/other`, whose bodies tests change. */
function createMesh() {
  const bodies: Record<string, object> = { 'shop/own': { port: 1 }, 'money/other': { port: 1 } };
  let sequence = 0;
  const nextContext = (): PushContext => {
    const objects = Object.entries(bodies).map(([fullName, body]): MeshObject => {
      const [namespace = '', name = ''] = fullName.split('/');
      const metadata = { name, namespace, labels: {}, annotations: {}, resourceVersion: String(sequence) };
      return { kind: 'Sidecar', apiVersion: 'networking.mesh.internal/v1beta1', metadata, body };
    });
    const table = new Map(objects.map((object) => [keyOf(object), object]));
    return { ...createDefaultContext(++sequence), objects: new Map([['Sidecar', table]]) };
  };
  return { bodies, options: { nextContext, objectGenerators: generators } };
}

/** Which of the two objects are in a response. */
const objectsIn = (message: Buffer | undefined): string[] =>
  ['shop/own', 'money/other'].filter((name) => message?.includes(name));

test('a delta client on the same machine gets all objects by name, then the change of one and the removal of another', async (t) => {
  const { bodies, options } = createMesh();
  const rig = await startRigServer(t, options, { readProxy });
  const client = connectClient(rig.port, DELTA_ADS);
  t.teardown(client.close);
  client.sendBytes(deltaRequest({ node: NODE, typeUrl: TYPE }));
  await client.response(0);
  const first = readDeltaResponse(client.messages[0] as Buffer);
  t.deepEqual(
    first.resources.map(({ name, typeUrl }) => [name, typeUrl]),
    [
      ['money/other', 'type.googleapis.com/google.protobuf.Struct'],
      ['shop/own', 'type.googleapis.com/google.protobuf.Struct'],
    ],
  );
  client.sendBytes(deltaRequest({ typeUrl: TYPE, nonce: first.nonce }));
  bodies['shop/own'] = { port: 2 };
  delete bodies['money/other'];
  rig.distributor.submit(pushRequest({ changed: new Set(['Sidecar/shop/own', 'Sidecar/money/other']) }));
  rig.clock.advance(0);
  await client.response(1);
  const second = readDeltaResponse(client.messages[1] as Buffer);
  t.deepEqual(
    second.resources.map(({ name }) => name),
    ['shop/own'],
  );
  t.deepEqual(second.removed, ['money/other']);
});

test('a client of state of the world gets the objects, and types of Envoy are not served to it', async (t) => {
  const rig = await startRigServer(t, createMesh().options, { readProxy });
  const client = connectClient(rig.port, ADS);
  t.teardown(client.close);
  client.send({ node: NODE, typeUrl: 'type.googleapis.com/envoy.config.cluster.v3.Cluster' });
  client.send({ typeUrl: TYPE });
  t.is((await client.response(0)).typeUrl, TYPE);
  t.deepEqual(objectsIn(client.messages[0]), ['shop/own', 'money/other']);
});

test('a caller on another machine without an identity gets no object', async (t) => {
  const rig = createRig(createMesh().options);
  const stream = { ...createProbeStream(), peer: '10.0.0.9:4000', isDirect: true };
  const session = new ProxySession({ ...rig.environment, readProxy }, stream);
  await t.throwsAsync(async () => session.receive(discoveryRequest({ node: NODE, typeUrl: TYPE })), {
    name: 'StreamError',
    message: /same machine/,
  });
  t.deepEqual(stream.sent, []);
});

async function startSecured(t: ExecutionContext, seesAll: boolean) {
  const rig = await createSecuredRig(t, {
    rig: createMesh().options,
    environment: () => ({ readProxy, seesAllPolicies: () => seesAll }),
  });
  return (uri: string) => rig.connect({ channel: rig.channel({ uris: [`spiffe://cluster.local/ns/${uri}`] }) });
}

test('an identity reads the objects of its namespace', async (t) => {
  const client = (await startSecured(t, false))('shop/sa/reader');
  client.send({ node: NODE, typeUrl: TYPE });
  await client.response(0);
  t.deepEqual(objectsIn(client.messages[0]), ['shop/own']);
});

test('an identity that may read all policies reads the objects of all namespaces', async (t) => {
  const client = (await startSecured(t, true))('shop/sa/reader');
  client.send({ node: NODE, typeUrl: TYPE });
  await client.response(0);
  t.deepEqual(objectsIn(client.messages[0]), ['shop/own', 'money/other']);
});

test('an identity of another namespace is refused', async (t) => {
  const client = (await startSecured(t, true))('money/sa/reader');
  client.send({ node: NODE, typeUrl: TYPE });
  t.is((await client.ended()).code, status.PERMISSION_DENIED);
});
