import test from 'ava';
import { createClusterGenerator } from '../../../src/generators/clusters/cluster-generator.js';
import { createListenerGenerator } from '../../../src/generators/listeners/listener-generator.js';
import { readGoldenCase } from '../golden-case.js';
import { ENCODER, generateAll, toJson } from '../served-resources.js';

const CASE = `
proxies:
  ingress:
    id: router~10.0.9.1~ingress-1.edge~edge.svc.cluster.local
    metadata: {LABELS: {app: ingress}}
    hasSecrets: true
---
apiVersion: networking.mesh.internal/v1beta1
kind: Gateway
metadata: {name: web, namespace: edge}
spec:
  selector: {app: ingress}
  servers:
    - port: {number: 443, name: https, protocol: HTTPS}
      hosts: [shop.example.com]
      tls: {mode: MUTUAL, credentialName: shared}
---
apiVersion: v1
kind: Service
metadata: {name: backend, namespace: edge}
spec: {clusterIP: 10.96.0.1, ports: [{name: http, port: 80}]}
---
apiVersion: networking.mesh.internal/v1beta1
kind: DestinationRule
metadata: {name: backend, namespace: edge}
spec: {host: backend, trafficPolicy: {tls: {mode: MUTUAL, credentialName: shared}}}
`;

/** The SDS sources of each credential in a resource. */
function* sourcesOf(value: unknown): Iterable<readonly [secret: string, source: string]> {
  if (typeof value !== 'object' || value === null) return;
  if ('name' in value && 'sdsConfig' in value && String(value.name).startsWith('kubernetes://')) {
    yield [String(value.name), JSON.stringify(value.sdsConfig)];
  }
  for (const item of Object.values(value)) yield* sourcesOf(item);
}

for (const initialFetchTimeoutMs of [0, 2_000, 30_000]) {
  test(`a listener and a cluster with one credential share its SDS source, with a fetch timeout of ${initialFetchTimeoutMs} ms`, (t) => {
    const { context, settings, proxies } = readGoldenCase('shared', CASE);
    const proxy = proxies.get('ingress');
    if (proxy === undefined) throw new Error('ingress');
    const own = { ...settings, initialFetchTimeoutMs };
    const found = [createListenerGenerator(ENCODER, own), createClusterGenerator(ENCODER, own)].map((generator) =>
      generateAll(generator, context, proxy).resources.flatMap((each) => [...sourcesOf(toJson(each))]),
    );
    const [ofListeners = [], ofClusters = []] = found;
    t.deepEqual(
      ofListeners.map(([name]) => name),
      ['kubernetes://shared', 'kubernetes://shared-cacert'],
    );
    t.deepEqual(ofClusters, ofListeners);
  });
}
