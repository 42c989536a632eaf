import test from 'ava';
import { createMessageEncoder } from '../../src/envoy/message-encoder.js';
import { createMessageJson } from '../../src/envoy/message-json.js';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { JsonRecord, jsonPieces } from '../../src/introspection/json-source.js';
import { resourceJson } from '../../src/introspection/resource-json.js';
import { registry } from './fixtures/serve.js';

const encoder = createMessageEncoder(registry);
const messageJson = createMessageJson(registry);

function routeTable(hosts: number) {
  return encoder.encodeResource(TypeUrl.route, '80', {
    name: '80',
    virtualHosts: Array.from({ length: hosts }, (_, index) => ({
      name: `service-${index}:80`,
      domains: [`service-${index}`, `service-${index}.default`],
      routes: [{ match: { prefix: '/' }, route: { cluster: `outbound|80||service-${index}`, timeout: {} } }],
    })),
    validateClusters: { value: false },
    requestHeadersToRemove: ['x-internal'],
  });
}

for (const hosts of [0, 3, 2000]) {
  test(`a route table of ${hosts} virtual hosts reads the same in parts and as a whole`, (t) => {
    const table = routeTable(hosts);
    const shown = resourceJson(messageJson, table);
    t.is(shown instanceof JsonRecord, hosts === 2000, 'only a large one is split');
    t.deepEqual(JSON.parse([...jsonPieces(shown)].join('')), messageJson.resourceToJson(table));
  });
}

test('a large resource of another type stays whole', (t) => {
  const cluster = encoder.encodeResource(TypeUrl.cluster, 'a', { name: 'a', altStatName: 'x'.repeat(100_000) });
  t.deepEqual(resourceJson(messageJson, cluster), messageJson.resourceToJson(cluster));
});

test('a large route table is printed in many pieces', (t) => {
  t.true([...jsonPieces(resourceJson(messageJson, routeTable(2000)))].length > 2000);
});
