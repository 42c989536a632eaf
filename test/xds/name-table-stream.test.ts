import test from 'ava';
import { loadProtoRegistry } from '../../src/envoy/proto-registry.js';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import type { WireMessage } from '../../src/envoy/wire-message.js';
import { createNameTableGenerator } from '../../src/generators/names/name-table-generator.js';
import { DELTA } from '../../src/xds/delta/delta-protocol.js';
import { ProxySession } from '../../src/xds/proxy-session.js';
import { buildContext, buildService } from '../generators/context-builder.js';
import { ENCODER } from '../generators/served-resources.js';
import { readDiscoveryResponse } from '../support/discovery-response.js';
import { eventually } from '../support/eventually.js';
import { pushRequest } from '../support/push-requests.js';
import { deltaRequest, readDeltaResponse } from './delta/delta-messages.js';
import { bytesOf, createProbeStream, createRig, discoveryRequest } from './session-rig.js';

const NAME_TABLE = loadProtoRegistry().type('mesh.nds.v1.NameTable');
const NODE = 'sidecar~10.0.0.1~pod.ns~ns.svc.cluster.local';

const namesIn = (body: Uint8Array | undefined): readonly string[] =>
  Object.keys((NAME_TABLE.toObject(NAME_TABLE.decode(body as Uint8Array)) as { table?: object }).table ?? {});

/** A rig that serves the names of its services. */
function createNamesRig() {
  const services = [buildService()];
  let sequence = 0;
  const rig = createRig({
    wrap: (generators) => [...generators, createNameTableGenerator(ENCODER)],
    nextContext: () => ({
      ...buildContext({ services: [...services] }),
      sequence: ++sequence,
      version: `v${sequence}`,
    }),
  });
  const add = (hostname: string): void => {
    services.push(buildService({ hostname, name: hostname.split('.')[0] ?? '' }));
    rig.distributor.submit(pushRequest({ changed: 'everything' }));
    rig.clock.advance(0);
  };
  return { rig, add };
}

const WEB = 'web.default.svc.cluster.local';
const API = 'api.default.svc.cluster.local';

test('a stream in state of the world gets the table at once, and again when a service is added', async (t) => {
  const { rig, add } = createNamesRig();
  const stream = createProbeStream();
  const session = new ProxySession(rig.environment, stream);
  const next = async (index: number) => {
    await eventually(`response ${index + 1}`, () => stream.sent.length > index);
    return readDiscoveryResponse(bytesOf(stream.sent[index] as WireMessage));
  };
  const typeUrl = TypeUrl.nameTable;
  void session.receive(discoveryRequest({ node: NODE, typeUrl }));
  const first = await next(0);
  t.is(first.typeUrl, typeUrl);
  t.deepEqual(namesIn(first.resources[0]), [WEB]);
  void session.receive(discoveryRequest({ typeUrl, nonce: first.nonce, version: first.version }));
  add(API);
  const second = await next(1);
  t.is(second.resources.length, 1);
  t.deepEqual(namesIn(second.resources[0]), [API, WEB]);
});

test('a delta stream gets the table under its name, and again when a service is added', async (t) => {
  const { rig, add } = createNamesRig();
  const stream = createProbeStream();
  const session = new ProxySession(rig.environment, stream, { variant: DELTA });
  const next = async (index: number) => {
    await eventually(`response ${index + 1}`, () => stream.sent.length > index);
    return readDeltaResponse(bytesOf(stream.sent[index] as WireMessage));
  };
  const typeUrl = TypeUrl.nameTable;
  void session.receive(deltaRequest({ node: NODE, typeUrl }));
  const first = await next(0);
  t.deepEqual(
    first.resources.map(({ name, typeUrl }) => [name, typeUrl]),
    [['names', typeUrl]],
  );
  t.deepEqual(namesIn(first.resources[0]?.body), [WEB]);
  void session.receive(deltaRequest({ typeUrl, nonce: first.nonce }));
  add(API);
  const second = await next(1);
  t.deepEqual(second.removed, []);
  t.deepEqual(namesIn(second.resources[0]?.body), [API, WEB]);
});
