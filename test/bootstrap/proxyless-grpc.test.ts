import test from 'ava';
import { encodeDiscoveryRequest, encodeResourceNames } from '../../bench/wire/discovery-request.js';
import { encodeNode } from '../../bench/wire/node-message.js';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { nameOfResource, readDiscoveryResponse } from '../support/discovery-response.js';
import { eventually } from '../support/eventually.js';
import { connectClient } from '../xds/grpc-client.js';
import { startServer } from './support/running-server.js';

const ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
const NODE = encodeNode({
  id: 'sidecar~10.0.0.1~web.shop~shop.svc.cluster.local',
  cluster: 'web',
  metadata: { GENERATOR: 'grpc' },
});
const entry = (host: string) => `apiVersion: networking.mesh.internal/v1beta1
kind: ServiceEntry
metadata: {name: ${host}, namespace: shop}
spec:
  hosts: [${host}.example.com]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: grpc, protocol: GRPC}]
`;
const RULE = `apiVersion: networking.mesh.internal/v1beta1
kind: DestinationRule
metadata: {name: a, namespace: shop}
spec:
  host: a.example.com
  trafficPolicy: {connectionPool: {http: {http2MaxRequests: 7}}}
`;
const [A, B] = ['outbound|80||a.example.com', 'outbound|80||b.example.com'] as const;

test('a gRPC client gets all clusters that it asks for in each response, and none after it asks for none', async (t) => {
  const server = await startServer(t, { files: { 'entries.yaml': `${entry('a')}---\n${entry('b')}` } });
  const client = connectClient(server.grpcPort, ADS);
  t.teardown(() => client.close());
  let answered = 0;
  const ask = (names: readonly string[]): void => {
    const last = client.messages.at(-1);
    const { version, nonce } = last === undefined ? { version: '', nonce: '' } : readDiscoveryResponse(last);
    client.sendBytes(
      encodeDiscoveryRequest({
        typeUrl: TypeUrl.cluster,
        ...(last === undefined ? { node: NODE } : {}),
        versionInfo: version,
        responseNonce: nonce,
        resourceNames: encodeResourceNames(names),
      }),
    );
  };
  const next = async (): Promise<readonly string[]> => {
    const message = await eventually('a response', () => client.messages[answered]);
    answered++;
    return readDiscoveryResponse(message).resources.map(nameOfResource);
  };

  ask([A, B]);
  t.deepEqual(await next(), [A, B]);
  ask([A, B]);
  await server.folder.write('rule.yaml', RULE);
  t.deepEqual(await next(), [A, B], 'one of them has changed');
  ask([A, B, 'unknown']);
  t.deepEqual(await next(), [A, B], 'a new name without a cluster');
  // The client drops names without a response, down to none, which is no wildcard.
  ask([A, 'unknown']);
  ask([]);
  ask([B]);
  t.deepEqual(await next(), [B]);
  t.is(client.messages.length, answered);
});
