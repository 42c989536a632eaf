import test from 'ava';
import { protoIncludeDirs } from '../../src/envoy/proto-folders.js';
import { loadProtoRegistry } from '../../src/envoy/proto-registry.js';
import { PUSH_ORDER } from '../../src/envoy/type-urls.js';

const registry = loadProtoRegistry();

for (const typeUrl of PUSH_ORDER) {
  test(`${typeUrl} is loaded`, (t) => {
    t.is(`type.googleapis.com/${registry.type(typeUrl).fullName.slice(1)}`, typeUrl);
  });
}

for (const name of ['HttpClientConfig', 'TcpClientConfig', 'ServiceConfig', 'Attributes']) {
  test(`our own resource ${name} is loaded beside those of Envoy`, (t) => {
    t.is(registry.type(`type.googleapis.com/mesh.policy.v1.${name}`).fullName, `.mesh.policy.v1.${name}`);
  });
}

test('a type is found by full name as well as by type URL', (t) => {
  const name = 'envoy.config.cluster.v3.Cluster';
  t.is(registry.type(name), registry.type(`type.googleapis.com/${name}`));
});

test('an unknown type is an error that says where to add it', (t) => {
  t.is(registry.find('type.googleapis.com/acme.Unknown'), undefined);
  const error = t.throws(() => registry.type('type.googleapis.com/acme.Unknown'));
  t.regex(error.message, /acme\.Unknown is not loaded; add its file to proto-files\.json/);
});

test('a package or an enum is no message type', (t) => {
  t.is(registry.find('envoy.config.cluster.v3'), undefined);
  t.is(registry.find('envoy.config.core.v3.HealthStatus'), undefined);
});

test('a field that carries its type at the end of a chain of messages is encoded', (t) => {
  const type = registry.type('envoy.config.route.v3.RouteConfiguration');
  const message = {
    name: 'r',
    virtualHosts: [{ routes: [{ match: { prefix: '/' }, route: { timeout: { seconds: 3 } } }] }],
  };
  const decoded = type.toObject(type.decode(type.encode(type.fromObject(message)).finish()), { longs: Number });
  t.deepEqual(decoded, message);
});

test('every include directory is absolute and named once', (t) => {
  const dirs = protoIncludeDirs();
  t.true(dirs.every((dir) => dir.startsWith('/')));
  t.is(new Set(dirs).size, dirs.length);
});
