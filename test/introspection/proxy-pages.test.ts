import test from 'ava';
import protobuf from 'protobufjs';
import type { EncodedResource } from '../../src/envoy/encoded-resource.js';
import { createMessageEncoder } from '../../src/envoy/message-encoder.js';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { call } from './fixtures/http-client.js';
import { connection, watch } from './fixtures/mesh.js';
import { registry, serve } from './fixtures/serve.js';

const encoder = createMessageEncoder(registry);

const RESOURCES: Readonly<Record<string, readonly EncodedResource[]>> = {
  [TypeUrl.cluster]: [
    encoder.encodeResource(TypeUrl.cluster, 'b', { name: 'b' }),
    encoder.encodeResource(TypeUrl.cluster, 'a', { name: 'a', connectTimeout: { seconds: 10 } }),
  ],
  [TypeUrl.listener]: [encoder.encodeResource(TypeUrl.listener, 'virtualOutbound', { name: 'virtualOutbound' })],
  [TypeUrl.route]: [encoder.encodeResource(TypeUrl.route, '80', { name: '80' })],
  [TypeUrl.extensionConfig]: [
    encoder.encodeResource(TypeUrl.extensionConfig, 'policy|forward', { name: 'policy|forward' }),
  ],
  [TypeUrl.endpoint]: [encoder.encodeResource(TypeUrl.endpoint, 'a', { clusterName: 'a' })],
};

const WEB = connection({
  id: 'sidecar~10.0.0.1~web~x-1',
  watches: [
    watch(TypeUrl.cluster, {
      sentVersion: 't/1',
      sentAt: new Date('2026-01-02T03:04:05Z'),
      ackedConfigVersion: 'root1',
    }),
    watch(TypeUrl.route, { ackedConfigVersion: 'root0' }),
  ],
});

/** Has listeners that name filters. */
const GUARDED = connection({ id: 'sidecar~10.0.0.2~guarded~x-2', watches: [watch(TypeUrl.extensionConfig)] });

const VIEWS = {
  connections: () => [WEB],
  resourcesOf: (_id: string, typeUrl: string) => RESOURCES[typeUrl] ?? [],
};

const GUARDED_VIEWS = { ...VIEWS, connections: () => [GUARDED] };

const CLUSTER_A = { '@type': TypeUrl.cluster, name: 'a', connectTimeout: '10s' };

for (const page of ['edsz', 'config_dump']) {
  test(`${page} answers 400 without proxyID`, async (t) => {
    const { port } = await serve(t, { views: VIEWS });
    for (const query of ['', '?proxyID=', '?proxyid=web']) {
      const { status, headers, body } = await call(port, `/debug/${page}${query}`);
      t.is(status, 400);
      t.is(body, 'You must provide a proxyID in the query string\n');
      t.is(headers['content-type'], 'text/plain; charset=utf-8');
    }
  });

  test(`${page} answers 404 for a proxy that is not connected here`, async (t) => {
    const { port } = await serve(t, { views: VIEWS });
    const { status, body } = await call(port, `/debug/${page}?proxyID=other`);
    t.is(status, 404);
    t.is(body, 'Proxy not connected to this discovery instance. It may be connected to another instance.\n');
  });

  test(`${page} finds a proxy by any part of its connection id`, async (t) => {
    const { port } = await serve(t, { views: VIEWS });
    t.is((await call(port, `/debug/${page}?proxyID=0.1~web`)).status, 200);
  });
}

test('of several matches, an exact ID has precedence, then the newest connection', async (t) => {
  const ids = ['web-1', 'web-12', 'web-11'];
  const { port } = await serve(t, {
    views: {
      connections: () =>
        ids.map((id, index) => connection({ id, connectedAt: new Date(index === 1 ? 2000 : 1000 + index) })),
      resourcesOf: (id) => [encoder.encodeResource(TypeUrl.endpoint, id, { clusterName: id })],
    },
  });
  const clusterOf = async (proxyId: string): Promise<string> =>
    JSON.parse((await call(port, `/debug/edsz?proxyID=${proxyId}`)).body)[0].clusterName;
  t.is(await clusterOf('web-1'), 'web-1');
  t.is(await clusterOf('web-'), 'web-12');
});

test('edsz lists the load assignments of the proxy', async (t) => {
  const { port } = await serve(t, { views: VIEWS });
  t.deepEqual(JSON.parse((await call(port, '/debug/edsz?proxyID=web')).body), [
    { '@type': TypeUrl.endpoint, clusterName: 'a' },
  ]);
});

test('config_dump has the form of a proxy admin dump, with an empty bootstrap', async (t) => {
  const { port } = await serve(t, { views: VIEWS });
  const { configs } = JSON.parse((await call(port, '/debug/config_dump?proxyID=web')).body);
  const stamp = { versionInfo: 't/1', lastUpdated: '2026-01-02T03:04:05.000Z' };
  t.deepEqual(configs, [
    { '@type': 'type.googleapis.com/envoy.admin.v3.BootstrapConfigDump' },
    {
      '@type': 'type.googleapis.com/envoy.admin.v3.ClustersConfigDump',
      versionInfo: 't/1',
      dynamicActiveClusters: [
        { ...stamp, cluster: CLUSTER_A },
        { ...stamp, cluster: { '@type': TypeUrl.cluster, name: 'b' } },
      ],
    },
    {
      '@type': 'type.googleapis.com/envoy.admin.v3.ListenersConfigDump',
      dynamicListeners: [
        {
          name: 'virtualOutbound',
          activeState: { listener: { '@type': TypeUrl.listener, name: 'virtualOutbound' } },
        },
      ],
    },
    {
      '@type': 'type.googleapis.com/envoy.admin.v3.RoutesConfigDump',
      dynamicRouteConfigs: [{ routeConfig: { '@type': TypeUrl.route, name: '80' } }],
    },
  ]);
});

test('config_dump adds endpoints if include_eds is set', async (t) => {
  const { port } = await serve(t, { views: VIEWS });
  for (const [query, expected] of [
    ['&include_eds', 5],
    ['&include_eds=true', 5],
    ['&include_eds=false', 4],
  ] as const) {
    const { configs } = JSON.parse((await call(port, `/debug/config_dump?proxyID=web${query}`)).body);
    t.is(configs.length, expected, query);
    if (expected === 4) continue;
    t.deepEqual(configs[4], {
      '@type': 'type.googleapis.com/envoy.admin.v3.EndpointsConfigDump',
      dynamicEndpointConfigs: [{ endpointConfig: { '@type': TypeUrl.endpoint, clusterName: 'a' } }],
    });
  }
});

test('config_dump has the filters that a proxy requests by name', async (t) => {
  const { port } = await serve(t, { views: GUARDED_VIEWS });
  const { configs } = JSON.parse((await call(port, '/debug/config_dump?proxyID=guarded')).body);
  t.deepEqual(configs[4], {
    '@type': 'type.googleapis.com/envoy.admin.v3.EcdsConfigDump',
    ecdsFilters: [{ ecdsFilter: { '@type': TypeUrl.extensionConfig, name: 'policy|forward' } }],
  });
});

test('envoy.admin.v3 declares every field of config_dump', async (t) => {
  const { port } = await serve(t, { views: GUARDED_VIEWS });
  const { configs } = JSON.parse((await call(port, '/debug/config_dump?proxyID=guarded&include_eds')).body);
  t.is(configs.length, 6);
  for (const config of configs) {
    const type = registry.type(config['@type']);
    for (const [name, items] of Object.entries(config)) {
      if (name === '@type') continue;
      const field = type.fields[name];
      t.truthy(field, `${type.name}.${name}`);
      if (!Array.isArray(items)) continue;
      const itemType = field?.resolve().resolvedType as protobuf.Type;
      t.true(itemType instanceof protobuf.Type);
      t.true(items.length > 0);
      t.deepEqual(
        Object.keys(items[0]).filter((key) => itemType.fields[key] === undefined),
        [],
        itemType.name,
      );
    }
  }
});

test('adsz and cdsz show resources only with NAV_DEBUG_ADSZ_CONFIG', async (t) => {
  const peer = { node: WEB.id, addr: WEB.peer, connect: '2026-01-01T00:00:00.000Z' };
  const quiet = await serve(t, { views: VIEWS });
  t.deepEqual(JSON.parse((await call(quiet.port, '/debug/adsz')).body), [
    { ...peer, listeners: [], RDSRoutes: [], clusters: [] },
  ]);
  t.deepEqual(JSON.parse((await call(quiet.port, '/debug/cdsz')).body), [{ ...peer, Clusters: [] }]);

  const { port } = await serve(t, { views: { ...VIEWS, adszConfigEnabled: true } });
  const [ads] = JSON.parse((await call(port, '/debug/adsz')).body);
  t.deepEqual(Object.keys(ads), ['node', 'addr', 'connect', 'listeners', 'RDSRoutes', 'clusters']);
  t.deepEqual(ads.clusters, [CLUSTER_A, { '@type': TypeUrl.cluster, name: 'b' }]);
  const [cds] = JSON.parse((await call(port, '/debug/cdsz')).body);
  t.deepEqual(cds.Clusters, ads.clusters);
});

test('proxy_sizes shows number and bytes of the resources that a proxy watches, and their sum', async (t) => {
  const { port } = await serve(t, { views: VIEWS });
  const sizeOf = (typeUrl: string) => {
    const resources = RESOURCES[typeUrl] ?? [];
    return { count: resources.length, bytes: resources.reduce((sum, { entry }) => sum + entry.length, 0) };
  };
  const [clusters, routes] = [sizeOf(TypeUrl.cluster), sizeOf(TypeUrl.route)];
  t.true(clusters.bytes > routes.bytes && routes.bytes > 0);
  t.deepEqual(JSON.parse((await call(port, '/debug/proxy_sizes')).body), [
    { proxy: WEB.proxy.id, bytes: clusters.bytes + routes.bytes, clusters, routes },
  ]);
});

for (const page of ['adsz', 'edsz']) {
  test(`${page} with push=true pushes and shows the number of servers; HEAD and other values do not push`, async (t) => {
    let pushes = 0;
    const triggerPush = (): number => {
      pushes++;
      return 7;
    };
    const { port } = await serve(t, { views: { ...VIEWS, triggerPush } });
    await call(port, `/debug/${page}?push=true`, { method: 'HEAD' });
    await call(port, `/debug/${page}?push=false&proxyID=web`);
    t.is(pushes, 0);
    const { status, headers, body } = await call(port, `/debug/${page}?push=true`);
    t.is(status, 200);
    t.is(body, 'Pushed to 7 servers');
    t.is(headers['content-type'], 'text/plain; charset=utf-8');
    t.is(pushes, 1);
  });
}

test('config_distribution finds the versions of the acknowledged configuration', async (t) => {
  const versionOf = (root: string, key: string): string | undefined =>
    root === 'root1' && key === 'ServiceEntry/default/web' ? '42' : undefined;
  const { port } = await serve(t, { views: { ...VIEWS, versionOf } });
  t.deepEqual(JSON.parse((await call(port, '/debug/config_distribution?resource=ServiceEntry/default/web')).body), [
    { proxy: WEB.proxy.id, cluster_acked: '42' },
  ]);
});

test('config_distribution can be limited to the proxies of a namespace', async (t) => {
  const { port } = await serve(t, {
    views: {
      connections: () => ['shop', 'pay'].map((ns) => connection({ proxy: { id: ns, configNamespace: ns } })),
    },
  });
  const { body } = await call(port, '/debug/config_distribution?resource=Node//n1&proxy_namespace=pay');
  t.deepEqual(JSON.parse(body), [{ proxy: 'pay' }]);
});

test('config_distribution answers 422 without a valid resource', async (t) => {
  const { port } = await serve(t);
  for (const query of ['', '?resource=', '?resource=web', '?resource=A/b/c/d', '?resource=/b/c', '?resource=A/b/']) {
    const { status, body } = await call(port, `/debug/config_distribution${query}`);
    t.is(status, 422, query);
    t.regex(body, /<Kind>\/<namespace>\/<name>/);
  }
});

test('config_distribution answers 409 when tracking is off, with the variable that turns it on', async (t) => {
  const { port } = await serve(t, { views: { trackingEnabled: false } });
  const { status, body } = await call(port, '/debug/config_distribution');
  t.is(status, 409);
  t.regex(body, /NAV_ENABLE_CONFIG_DISTRIBUTION_TRACKING/);
});
