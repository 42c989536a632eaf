import test from 'ava';
import { keyOf, type MeshObject } from '../../../src/config/object.js';
import { createClusterGenerator } from '../../../src/generators/clusters/cluster-generator.js';
import type { WildcardGenerator } from '../../../src/generators/generator.js';
import { createListenerGenerator } from '../../../src/generators/listeners/listener-generator.js';
import { createPatchedGenerators } from '../../../src/generators/patches/patched-generators.js';
import type { PushContext } from '../../../src/model/push-context.js';
import { readObject } from '../../config/support/read-yaml.js';
import { buildContext, buildPort, buildProxy, buildService } from '../context-builder.js';
import { SETTINGS } from '../default-settings.js';
import { at, ENCODER, generateAll, toJson } from '../served-resources.js';

const SERVICE = buildService({ name: 'web', ports: [buildPort({ name: 'http', number: 80 })] });
const OUTBOUND = 'outbound|80||web.default.svc.cluster.local';

/** @param where `<namespace>/<name>` */
function filter(where: string, patches: readonly object[], more: object = {}): MeshObject {
  const [namespace, name] = where.split('/');
  const { labels, creationTimestamp } = more as { labels?: object; creationTimestamp?: string };
  return readObject(
    JSON.stringify({
      apiVersion: 'networking.mesh.internal/v1beta1',
      kind: 'EnvoyFilter',
      metadata: { namespace, name, creationTimestamp },
      spec: { configPatches: patches, ...(labels === undefined ? {} : { workloadSelector: { labels } }) },
    }),
  );
}

function contextWith(...filters: readonly MeshObject[]): PushContext {
  const table = new Map(filters.map((object) => [keyOf(object), object]));
  return { ...buildContext({ services: [SERVICE] }), objects: new Map([['EnvoyFilter', table]]) };
}

const createClusters = () => createClusterGenerator(ENCODER, SETTINGS);
const patchedOf = (generator: WildcardGenerator) => createPatchedGenerators([generator])[0] as WildcardGenerator;

const merge = (value: object, match?: object) => ({
  applyTo: 'CLUSTER',
  ...(match === undefined ? {} : { match }),
  patch: { operation: 'MERGE', value },
});
const WEB = { cluster: { service: 'web.default.svc.cluster.local' } };

/** A field of the outbound cluster as a proxy gets it. */
function fieldOf(context: PushContext, path: string, proxy = buildProxy()) {
  const { resources } = generateAll(patchedOf(createClusters()), context, proxy);
  const cluster = resources.find(({ name }) => name === OUTBOUND);
  return cluster && at(toJson(cluster), path);
}

test('a proxy without EnvoyFilters has the very scopes and resources of the generator that is wrapped', (t) => {
  const generator = createClusters();
  const patched = patchedOf(generator);
  const context = contextWith(filter('elsewhere/f', [merge({ alt_stat_name: 'x' })]));
  const proxy = buildProxy();
  for (const [index, part] of generator.parts.entries()) {
    const scope = part.scope(context, proxy);
    const same = patched.parts[index]?.scope(context, proxy);
    t.is(same?.key, scope?.key);
    if (scope === undefined || same === undefined) continue;
    t.deepEqual(patched.parts[index]?.generate(context, same).resources, part.generate(context, scope).resources);
  }
  t.is(patched.parts.at(-1)?.scope(context, proxy), undefined);
});

test('removing an EnvoyFilter brings the bytes from before back', (t) => {
  const patched = patchedOf(createClusters());
  const versions = (context: PushContext) =>
    generateAll(patched, context, buildProxy()).resources.map(({ version }) => version);
  const before = versions(contextWith());
  const during = versions(contextWith(filter('default/f', [merge({ connect_timeout: '7s' })])));
  t.notDeepEqual(during, before);
  t.deepEqual(versions(contextWith()), before);
});

test('a resource that no patch matches keeps its identity', (t) => {
  const patched = patchedOf(createClusters());
  const plain = generateAll(patched, contextWith(), buildProxy()).resources;
  const others = generateAll(
    patched,
    contextWith(filter('default/f', [merge({ alt_stat_name: 'x' }, WEB)])),
    buildProxy(),
  ).resources;
  const changed = others.filter(
    (resource) => plain.find(({ name }) => name === resource.name)?.version !== resource.version,
  );
  t.deepEqual(
    changed.map(({ name }) => name),
    [OUTBOUND],
  );
});

test('an unchanged resource and unchanged patches give the very same bytes in the next snapshot', (t) => {
  const patched = patchedOf(createClusters());
  const object = filter('default/f', [merge({ alt_stat_name: 'x' })]);
  const first = contextWith(object);
  const of = (context: PushContext) =>
    generateAll(patched, context, buildProxy()).resources.find(({ name }) => name === OUTBOUND);
  t.is(of(first), of({ ...first, sequence: first.sequence + 1 }));
});

test('patches of the root namespace apply first, then those of the namespace, the oldest first', (t) => {
  const named = (name: string) => [merge({ alt_stat_name: name }, WEB)];
  const context = contextWith(
    filter('default/a', named('young'), { creationTimestamp: '2026-02-01T00:00:00Z' }),
    filter('default/b', named('old'), { creationTimestamp: '2026-01-01T00:00:00Z' }),
    filter('mesh-system/z', named('root'), { creationTimestamp: '2026-03-01T00:00:00Z' }),
  );
  t.is(fieldOf(context, 'altStatName'), 'young');
  t.is(fieldOf(context, 'altStatName', { ...buildProxy(), configNamespace: 'other' }), 'root');
});

test('an EnvoyFilter affects the workloads that it selects, and none of another namespace', (t) => {
  const context = contextWith(filter('default/f', [merge({ alt_stat_name: 'x' })], { labels: { app: 'web' } }));
  const proxy = buildProxy();
  const labelled = { ...proxy, metadata: { ...proxy.metadata, labels: { app: 'web' } } };
  t.is(fieldOf(context, 'altStatName', labelled), 'x');
  t.is(fieldOf(context, 'altStatName', proxy), undefined);
  t.is(fieldOf(context, 'altStatName', { ...labelled, configNamespace: 'other' }), undefined);
});

test('a patch is for proxies of a version, with metadata, and of a context', (t) => {
  const proxy = buildProxy();
  const value = (match: object, changes: object) =>
    fieldOf(contextWith(filter('default/f', [merge({ alt_stat_name: 'x' }, match)])), 'altStatName', {
      ...proxy,
      ...changes,
    });
  const version = { proxy: { proxyVersion: '^1\\.4[01]' } };
  t.is(value(version, { version: '1.40.0' }), 'x');
  t.is(value(version, { version: '1.39.2' }), undefined);
  t.is(value(version, { metadata: { ...proxy.metadata, meshVersion: '1.41' } }), 'x');
  const metadata = { proxy: { metadata: { ZONE: 'blue' } } };
  t.is(value(metadata, { metadata: { ...proxy.metadata, texts: { ZONE: 'blue' } } }), 'x');
  t.is(value(metadata, { metadata: { ...proxy.metadata, texts: { ZONE: 'red' } } }), undefined);
  t.is(value({ context: 'SIDECAR_OUTBOUND' }, {}), 'x');
  t.is(value({ context: 'SIDECAR_INBOUND' }, {}), undefined);
  t.is(value({ context: 'GATEWAY' }, {}), undefined);
  t.is(value({ context: 'GATEWAY' }, { type: 'router' }), 'x');
});

test('a patch that makes a message invalid is skipped and told, and the patches beside it apply', (t) => {
  const bad = merge(
    { type: 'EDS', eds_cluster_config: { service_name: 'x' } },
    { cluster: { name: 'BlackHoleCluster' } },
  );
  const good = merge({ alt_stat_name: 'x' });
  const { resources, findings } = generateAll(
    patchedOf(createClusters()),
    contextWith(filter('default/f', [bad, good])),
    buildProxy(),
  );
  const blackHole = resources.find(({ name }) => name === 'BlackHoleCluster');
  t.is(blackHole && at(toJson(blackHole), 'altStatName'), 'x');
  t.deepEqual(findings, [
    {
      metric: 'nav_envoy_filter_patches_skipped',
      key: 'EnvoyFilter/default/f[0]',
      message: 'the patch is not applied to BlackHoleCluster: a cluster of type EDS needs edsClusterConfig.edsConfig',
      object: 'EnvoyFilter/default/f',
    },
  ]);
});

test('a listener never loses the filter that forwards, nor gets one after it, nor one for another place', (t) => {
  const listeners = createListenerGenerator(ENCODER, SETTINGS);
  const patch = (applyTo: string, operation: string, name: string, value?: object) => ({
    applyTo,
    match: { listener: { filterChain: { filter: applyTo === 'HTTP_FILTER' ? { subFilter: { name } } : { name } } } },
    patch: { operation, ...(value === undefined ? {} : { value }) },
  });
  const buffer = {
    name: 'b',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.http.buffer.v3.Buffer',
      max_request_bytes: 1,
    },
  };
  const sniCluster = {
    name: 's',
    typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.network.sni_cluster.v3.SniCluster' },
  };
  const context = contextWith(
    filter('default/f', [
      patch('HTTP_FILTER', 'REMOVE', 'envoy.filters.http.router'),
      patch('HTTP_FILTER', 'INSERT_AFTER', 'envoy.filters.http.router', buffer),
      patch('NETWORK_FILTER', 'REMOVE', 'envoy.filters.network.tcp_proxy'),
      patch('NETWORK_FILTER', 'INSERT_BEFORE', 'envoy.filters.network.tcp_proxy', buffer),
      patch('HTTP_FILTER', 'INSERT_BEFORE', 'envoy.filters.http.router', sniCluster),
    ]),
  );
  const { resources, findings } = generateAll(patchedOf(listeners), context, buildProxy());
  const plain = generateAll(listeners, context, buildProxy()).resources;
  t.deepEqual(
    resources.map(({ version }) => version),
    plain.map(({ version }) => version),
  );
  t.deepEqual([...new Set(findings.map(({ key }) => key))].sort(), [
    'EnvoyFilter/default/f[0]',
    'EnvoyFilter/default/f[1]',
    'EnvoyFilter/default/f[2]',
    'EnvoyFilter/default/f[3]',
    'EnvoyFilter/default/f[4]',
  ]);
});

test('patches cannot make a resource more than 1 MiB larger', (t) => {
  const patch = {
    applyTo: 'NETWORK_FILTER',
    match: { context: 'SIDECAR_INBOUND' },
    patch: {
      operation: 'INSERT_FIRST',
      value: {
        name: 'x'.repeat(250_000),
        typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.network.sni_cluster.v3.SniCluster' },
      },
    },
  };
  const ports = Array.from({ length: 8 }, (_, index) =>
    buildPort({ name: `tcp-${index}`, number: 9000 + index, protocol: 'tcp' }),
  );
  const service = buildService({ name: 'many', ports });
  const targets = ports.map((port) => ({ service, port, targetPort: port.number }));
  const table = new Map([['EnvoyFilter/default/f', filter('default/f', [patch])]]);
  const context = { ...buildContext({ services: [service], targets }), objects: new Map([['EnvoyFilter', table]]) };
  const listeners = createListenerGenerator(ENCODER, SETTINGS);
  const { findings, resources } = generateAll(patchedOf(listeners), context, buildProxy());
  const inbound = resources.find(({ name }) => name === 'virtualInbound');
  t.true((inbound?.entry.length ?? 0) < 1024 * 1024);
  t.true(findings.some(({ message }) => message.includes('the patches add more than 1048576 bytes to it')));
});

test('the patches of one proxy take at most 1 MiB, and the EnvoyFilters beyond are told', (t) => {
  const large = merge({ alt_stat_name: 'x'.repeat(250_000) }, WEB);
  const context = contextWith(...Array.from({ length: 6 }, (_, index) => filter(`default/f${index}`, [large])));
  const { findings } = generateAll(patchedOf(createClusters()), context, buildProxy());
  t.deepEqual(
    [...new Map(findings.map(({ object, message }) => [object, message]))],
    ['EnvoyFilter/default/f4', 'EnvoyFilter/default/f5'].map((object) => [
      object,
      'the EnvoyFilter is not applied: the EnvoyFilters before it take most of the 1048576 bytes of one proxy',
    ]),
  );
});

test('the patches of a namespace add at most 16 MiB to all resources together, and those of the operator stay', (t) => {
  const ports = Array.from({ length: 100 }, (_, index) => buildPort({ name: `http-${index}`, number: 1000 + index }));
  const objects = [
    filter('mesh-system/operator', [merge({ connect_timeout: '7s' })]),
    filter('default/large', [merge({ alt_stat_name: 'x'.repeat(250_000) })]),
  ];
  const table = new Map(objects.map((object) => [keyOf(object), object]));
  const services = [buildService({ name: 'web', ports })];
  const context = { ...buildContext({ services }), objects: new Map([['EnvoyFilter', table]]) };
  const { resources, findings } = generateAll(patchedOf(createClusters()), context, buildProxy());
  const outbound = resources.filter(({ name }) => name.startsWith('outbound|'));
  t.is(outbound.length, 100);
  t.true(outbound.reduce((bytes, { entry }) => bytes + entry.length, 0) < 18 * 1024 * 1024);
  for (const resource of outbound) t.is(at(toJson(resource), 'connectTimeout'), '7s');
  const skippedOnes = findings.filter(({ message }) => message.includes('add more than 16777216 bytes'));
  t.deepEqual([...new Set(skippedOnes.map(({ object }) => object))], ['EnvoyFilter/default/large']);
});

test('a withheld patch is left out of its resource alone, named with the reason, until its content changes', (t) => {
  const patched = patchedOf(createClusters());
  const contextOf = (name: string) => contextWith(filter('default/f', [merge({ alt_stat_name: name })]));
  const context = contextOf('x');
  const [id = ''] =
    generateAll(patched, context, buildProxy()).resources.find(({ name }) => name === OUTBOUND)?.patches ?? [];
  const withheld = (resources: ReadonlySet<string> | undefined, reason: string | undefined) => {
    return { ...buildProxy(), withheldPatches: [{ id, resources, reason }] };
  };
  const resultOf = (from: PushContext, proxy: ReturnType<typeof buildProxy>) => {
    const { resources, findings } = generateAll(patched, from, proxy);
    const unpatched = resources.filter(({ patches }) => patches === undefined).map(({ name }) => name);
    return {
      unpatched,
      messages: findings.map(({ message }) => message),
      isAll: unpatched.length === resources.length,
    };
  };
  t.deepEqual(resultOf(context, withheld(new Set([OUTBOUND]), 'rejected')), {
    unpatched: [OUTBOUND],
    messages: [`the patch is not applied to ${OUTBOUND}: rejected`],
    isAll: false,
  });
  t.true(resultOf(context, withheld(undefined, 'rejected')).isAll);
  t.deepEqual(resultOf(context, withheld(undefined, undefined)).messages, []);
  t.deepEqual(resultOf(contextOf('y'), withheld(undefined, 'rejected')).unpatched, []);
  t.deepEqual(resultOf(context, buildProxy()).unpatched, []);
});
