import test from 'ava';
import { adsConfigSource } from '../../src/envoy/config-source.js';
import { createMessageEncoder } from '../../src/envoy/message-encoder.js';
import { loadProtoRegistry } from '../../src/envoy/proto-registry.js';
import { createRestMessageJson } from '../../src/envoy/rest-config-source.js';
import { TypeUrl } from '../../src/envoy/type-urls.js';

const registry = loadProtoRegistry();
const encoder = createMessageEncoder(registry);
const json = createRestMessageJson(registry, 30_000);

test('what a resource for REST proxies refers to comes over REST, with the time limit of its source', (t) => {
  const edsClusterConfig = { edsConfig: adsConfigSource(5_000) };
  const cluster = encoder.encodeResource(TypeUrl.cluster, 'a', { name: 'a', type: 'EDS', edsClusterConfig });
  t.like(json.resourceToJson(cluster), {
    edsClusterConfig: {
      edsConfig: {
        initialFetchTimeout: '5s',
        resourceApiVersion: 'V3',
        apiConfigSource: { apiType: 'REST', clusterNames: ['xds-rest'], requestTimeout: '40s' },
      },
    },
  });
  t.false(JSON.stringify(json.resourceToJson(cluster)).includes('"ads"'));
});

test('fields with digits have the names that Envoy knows', (t) => {
  const outlierDetection = { consecutive_5xx: { value: 3 }, enforcingConsecutive_5xx: { value: 7 } };
  const cluster = encoder.encodeResource(TypeUrl.cluster, 'a', { name: 'a', outlierDetection });
  t.like(json.resourceToJson(cluster), { outlierDetection: { consecutive5xx: 3, enforcingConsecutive5xx: 7 } });
});
