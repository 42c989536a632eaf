import test from 'ava';
import { adsConfigSource } from '../../src/envoy/config-source.js';
import { createMessageEncoder } from '../../src/envoy/message-encoder.js';
import { loadProtoRegistry } from '../../src/envoy/proto-registry.js';
import { buildUpstreamMutualTls } from '../../src/envoy/tls-context.js';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { findEnvoy } from '../counterparts/find-envoy.js';
import { eventually } from '../support/eventually.js';
import { pushRequest } from '../support/push-requests.js';
import { startAdsEnvoy } from './ads-envoy.js';
import { startRigServer } from './rig-server.js';
import { proxyOf } from './session-rig.js';

const binary = findEnvoy();
const testWithEnvoy = 'value' in binary ? test : test.skip;

const NODE = 'sidecar~10.0.0.1~pod.ns~ns.svc.cluster.local';
const ENCODER = createMessageEncoder(loadProtoRegistry());
/** A cluster that Envoy does not use before a secret arrives, and waits for without a limit in time. */
const TLS = 'tls';

function encodeCluster(typeUrl: string, name: string, body: string): Uint8Array {
  const cluster = { name, type: 'STATIC', connectTimeout: { seconds: 5 }, altStatName: `${name}-${body}` };
  const options = { configSource: adsConfigSource(0), peerNames: [], applicationProtocols: [] };
  const socket = body === TLS ? { transportSocket: buildUpstreamMutualTls(ENCODER, 'server', options) } : {};
  return ENCODER.encode(typeUrl, { ...cluster, ...socket });
}

testWithEnvoy('Envoy gets further clusters though one of them waits for a secret for ever', async (t) => {
  const overrides = { readProxy: () => proxyOf(NODE) };
  const server = await startRigServer(t, { encodeBody: encodeCluster }, overrides);
  const { content, distributor, clock, counts, sessions } = server;
  content.clusters = { first: 'plain' };
  distributor.pushAll('debug');
  const envoy = await startAdsEnvoy('value' in binary ? binary.value : '', server.port);
  t.teardown(envoy.stop);
  const watch = () => [...sessions][0]?.snapshot()?.watches.get(TypeUrl.cluster);
  const isAnswered = () => watch()?.sentNonce !== '' && watch()?.sentNonce === watch()?.ackedNonce;
  const change = (clusters: Record<string, string>): void => {
    content.clusters = clusters;
    distributor.submit(pushRequest());
    clock.advance(0);
  };
  const passLimit = async (): Promise<void> => {
    const before = counts['unacknowledged cds'] ?? 0;
    await eventually('clusters without an answer to the last ones', () => {
      clock.advance(15_000);
      return (counts['unacknowledged cds'] ?? 0) > before;
    });
  };
  await envoy.usesCluster('first');
  await eventually('Envoy acknowledges the first cluster', isAnswered);

  change({ first: 'plain', stuck: TLS });
  await eventually('a cluster warms', async () => (await envoy.stat('cluster_manager.warming_clusters')) === 1);
  t.false(isAnswered());
  change({ first: 'plain', stuck: TLS, later: 'plain' });
  t.is(counts['pushed cds'], 2);
  await passLimit();
  await envoy.usesCluster('later');
  t.false(isAnswered());
  t.is(counts['unacknowledged cds'], 1);

  // Once the cluster is gone Envoy acknowledges, and the ledger knows that it has the newest configuration.
  change({ first: 'plain', later: 'plain' });
  await passLimit();
  await eventually('Envoy acknowledges the newest clusters', isAnswered);
  t.is(watch()?.ackedConfigVersion, distributor.configVersion);
  t.is(watch()?.rejection, undefined);
});
