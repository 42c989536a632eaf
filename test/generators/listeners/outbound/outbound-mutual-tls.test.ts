import test from 'ava';
import { createListenerGenerator } from '../../../../src/generators/listeners/listener-generator.js';
import { buildContext, buildPort, buildProxy, buildService, MESH } from '../../context-builder.js';
import { SETTINGS } from '../../default-settings.js';
import { ENCODER, generateAll, toJson } from '../../served-resources.js';

const SERVICES = [buildService({ ports: [buildPort(), buildPort({ name: 'any', number: 7000, protocol: 'auto' })] })];

function outbound(hasSecrets: boolean, enableAutoMtls = true): readonly string[] {
  const context = buildContext({ services: SERVICES, mesh: { ...MESH, enableAutoMtls, proxyHttpPort: 15007 } });
  const generator = createListenerGenerator(ENCODER, SETTINGS);
  return generateAll(generator, context, buildProxy({ hasSecrets }))
    .resources.filter(({ name }) => name !== 'virtualInbound')
    .map((resource) => JSON.stringify(toJson(resource)));
}

const FILTER = '"name":"envoy.filters.http.set_filter_state"';
const OFFER =
  '"onRequestHeaders":[{"objectKey":"envoy.network.application_protocols","formatString":{"textFormatSource":{"inlineString":"mesh-http,mesh"}}}]';

test('every HTTP chain offers the application protocol of HTTP, after the gRPC counters and before CORS', (t) => {
  const chains = outbound(true).filter((listener) => listener.includes('http_connection_manager'));
  t.is(chains.length, 3);
  for (const listener of chains) {
    t.true(listener.includes(OFFER));
    const order = ['http.grpc_stats"', FILTER, 'http.cors"'].map((text) => listener.indexOf(text));
    t.deepEqual(
      order,
      order.toSorted((first, second) => first - second),
    );
  }
});

test('proxies that send no mutual TLS have listeners without it', (t) => {
  const plaintext = outbound(false);
  t.false(plaintext.join('').includes(FILTER));
  t.deepEqual(outbound(true, false), plaintext);
});
