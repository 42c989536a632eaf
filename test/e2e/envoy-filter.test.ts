import anyTest, { type TestFn } from 'ava';
import type { Manifest } from '../counterparts/config-folder.js';
import { assertNothingRejected } from '../counterparts/envoy-rejections.js';
import { endpointsManifest, type ServiceOptions, serviceManifest } from '../counterparts/manifests.js';
import { createMeshRig, type MeshRig, type Sidecar } from '../counterparts/mesh-rig.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { eventually } from '../support/eventually.js';
import { activeListeners } from './envoy-evidence.js';

interface Context {
  mesh: MeshRig;
  client: Sidecar;
  server: Sidecar;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const ECHO: ServiceOptions = {
  name: 'echo',
  clusterIP: '10.96.0.10',
  ports: [{ name: 'http', port: 80, targetPort: 8080 }],
};
const SCRIPTED: ServiceOptions = { ...ECHO, name: 'scripted', clusterIP: '10.96.0.11' };
const SCRIPTED_ADDRESS = '10.244.0.7';
const HOST = 'echo.default.svc.cluster.local';
const SERVER_ADDRESS = '10.244.0.6';

/** Adds a response header, by a script. */
function script(header: string) {
  return {
    name: `script-${header}`,
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua',
      default_source_code: {
        inline_string: `function envoy_on_response(handle) handle:headers():add('x-scripts', '${header}') end`,
      },
    },
  };
}

const httpFilter = (operation: string, value: object | undefined, match: object = {}) => ({
  applyTo: 'HTTP_FILTER',
  match: { context: 'SIDECAR_INBOUND', ...match },
  patch: { operation, ...(value === undefined ? {} : { value }) },
});
const chain = (filterChain: object) => ({ listener: { filterChain } });
const before = (name: string) => chain({ filter: { subFilter: { name } } });
const route = (operation: string, value: object, routeConfiguration: object) => ({
  applyTo: 'HTTP_ROUTE',
  match: { context: 'SIDECAR_OUTBOUND', routeConfiguration },
  patch: { operation, value },
});
const answer = (body: string) => ({
  name: body,
  match: { prefix: '/' },
  direct_response: { status: 200, body: { inline_string: body } },
});

function filter(name: string, configPatches: readonly object[], more: object = {}, namespace = 'default'): Manifest {
  return {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'EnvoyFilter',
    metadata: { name, namespace },
    spec: { configPatches, ...more },
  };
}

test.before(async (t) => {
  if (available === undefined) return;
  const mesh = await createMeshRig(available, {
    files: {
      'echo.yaml': [serviceManifest(ECHO), endpointsManifest(ECHO, [SERVER_ADDRESS])],
      'scripted.yaml': [serviceManifest(SCRIPTED), endpointsManifest(SCRIPTED, [SCRIPTED_ADDRESS])],
    },
  });
  t.context.mesh = mesh;
  const server = await mesh.addSidecar({
    name: 'echo-1',
    address: SERVER_ADDRESS,
    labels: { app: 'echo' },
    metadata: { ZONE: 'blue', MESH_VERSION: '1.9.3' },
  });
  await server.agent.call('serveHttp', { name: 'echo-1', port: 8080 });
  const client = await mesh.addSidecar({ name: 'client', address: '10.244.0.5' });
  await Promise.all([server.envoy.ready(), client.envoy.ready()]);
  t.context = { mesh, client, server };
});

test.afterEach.always('client and server rejected no configuration', async (t) => {
  const { client, server } = t.context;
  for (const sidecar of [client, server]) if (sidecar !== undefined) await assertNothingRejected(sidecar.envoy);
});

test.after.always(async (t) => {
  await t.context.mesh?.close();
});

async function send({ client }: Context, path = '/', host = HOST) {
  return await client.agent.request(`http://${ECHO.clusterIP}${path}`, { headers: { host } });
}

/** The headers that scripts added, in their order. */
async function scriptsOf(context: Context, path = '/'): Promise<string> {
  const { headers } = await send(context, path);
  const value = headers['x-scripts'] ?? '';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** Applies EnvoyFilters, waits until the condition holds, and removes them after the check. */
async function withFilters(
  { mesh }: Context,
  filters: readonly Manifest[],
  isInForce: () => Promise<boolean>,
  check: () => Promise<void> = async () => undefined,
): Promise<void> {
  const { configFolder: folder } = mesh.discovery;
  await folder.write('filters.yaml', filters);
  try {
    await eventually('the EnvoyFilters are in force', isInForce);
    await check();
  } finally {
    await folder.remove('filters.yaml');
    await eventually('the EnvoyFilters are gone', async () => !(await isInForce()));
  }
}

e2eTest('a script in the inbound listener changes responses until its EnvoyFilter is removed', async (t) => {
  const inserted = filter('f', [httpFilter('INSERT_BEFORE', script('a'), before('envoy.filters.http.router'))]);
  await withFilters(t.context, [inserted], async () => (await scriptsOf(t.context)) === 'a');
  t.is(await scriptsOf(t.context), '');
});

e2eTest('filters are in the order of namespaces, patches and operations', async (t) => {
  // A response passes the filters from the last to the first.
  const filters = [
    filter('own', [
      httpFilter('INSERT_FIRST', script('first')),
      httpFilter('INSERT_AFTER', script('after-root'), before('script-root')),
      httpFilter('ADD', script('last')),
    ]),
    filter('root', [httpFilter('INSERT_FIRST', script('root'))], {}, 'mesh-system'),
  ];
  const order = 'last, after-root, root, first';
  await withFilters(t.context, filters, async () => (await scriptsOf(t.context)) === order);
  t.pass();
});

/** Each condition of a match, with one that the sidecar of the server meets and one that it does not. */
const CONDITIONS: Readonly<Record<string, readonly [object, object]>> = {
  context: [{ context: 'ANY', ...before('envoy.filters.http.router') }, { context: 'GATEWAY' }],
  'the version of the proxy': [{ proxy: { proxyVersion: '^1\\.9' } }, { proxy: { proxyVersion: '^2' } }],
  'metadata of the proxy': [{ proxy: { metadata: { ZONE: 'blue' } } }, { proxy: { metadata: { ZONE: 'red' } } }],
  'the port of the workload': [{ listener: { portNumber: 8080 } }, { listener: { portNumber: 8081 } }],
  'the name of the port': [{ listener: { portName: 'HTTP' } }, { listener: { portName: 'tcp' } }],
  'the name of the listener': [{ listener: { name: 'virtualInbound' } }, { listener: { name: 'virtualOutbound' } }],
  'the name of the filter chain': [chain({ name: '0.0.0.0_8080' }), chain({ name: 'other' })],
  'any server name': [{}, chain({ sni: 'echo.example.com' })],
  'the name of the network filter': [
    chain({ filter: { name: 'envoy.filters.network.http_connection_manager' } }),
    chain({ filter: { name: 'envoy.filters.network.tcp_proxy' } }),
  ],
};

e2eTest('a patch matches by context, proxy, port, listener, filter chain and filter', async (t) => {
  const patches = Object.entries(CONDITIONS).flatMap(([what, [met, unmet]]) => [
    httpFilter('ADD', script(`not ${what}`), unmet),
    httpFilter('ADD', script(what), met),
  ]);
  // Context ANY is in force in the sidecar of the client, too.
  const wanted = [...Object.keys(CONDITIONS).toReversed(), 'context'].join(', ');
  await withFilters(t.context, [filter('f', patches)], async () => (await scriptsOf(t.context)) === wanted);
  t.pass();
});

e2eTest('an EnvoyFilter is for the workloads that it selects, in its own namespace', async (t) => {
  const selecting = (app: string) => ({ workloadSelector: { labels: { app } } });
  const filters = [
    filter('selected', [httpFilter('INSERT_FIRST', script('selected'))], selecting('echo')),
    filter('not-selected', [httpFilter('INSERT_FIRST', script('not-selected'))], selecting('other')),
    filter('elsewhere', [httpFilter('INSERT_FIRST', script('elsewhere'))], {}, 'other'),
  ];
  await withFilters(
    t.context,
    filters,
    async () => (await scriptsOf(t.context)).includes('selected'),
    async () => {
      t.is(await scriptsOf(t.context), 'selected');
    },
  );
});

e2eTest('routes that patches add, change and remove answer requests', async (t) => {
  const vhost = { name: `${HOST}:80` };
  const filters = [
    filter('f', [
      route('INSERT_FIRST', { ...answer('by name'), match: { path: '/name' } }, { name: '80', vhost }),
      route(
        'INSERT_BEFORE',
        { ...answer('before'), match: { path: '/before' } },
        { vhost: { ...vhost, route: { name: 'default' } } },
      ),
      route(
        'INSERT_BEFORE',
        { ...answer('port'), match: { path: '/port' } },
        { portNumber: 80, vhost: { ...vhost, route: { action: 'ROUTE' } } },
      ),
      route('INSERT_FIRST', { ...answer('port name'), match: { path: '/port-name' } }, { portName: 'http', vhost }),
      route('INSERT_FIRST', { ...answer('no port'), match: { path: '/no-port' } }, { portNumber: 81, vhost }),
      route(
        'MERGE',
        { direct_response: { body: { inline_string: 'changed' } } },
        { vhost: { ...vhost, route: { name: 'by name', action: 'DIRECT_RESPONSE' } } },
      ),
      {
        applyTo: 'VIRTUAL_HOST',
        match: { context: 'SIDECAR_OUTBOUND', routeConfiguration: { name: '80' } },
        patch: {
          operation: 'ADD',
          value: {
            name: 'legacy',
            domains: ['legacy.example.com'],
            routes: [{ name: 'moved', match: { prefix: '/' }, redirect: { host_redirect: 'new.example.com' } }],
          },
        },
      },
      route(
        'MERGE',
        { redirect: { response_code: 'TEMPORARY_REDIRECT' } },
        { vhost: { name: 'legacy', route: { action: 'REDIRECT' } } },
      ),
      {
        applyTo: 'ROUTE_CONFIGURATION',
        match: { context: 'SIDECAR_OUTBOUND', routeConfiguration: { portNumber: 80 } },
        patch: {
          operation: 'MERGE',
          value: { response_headers_to_add: [{ header: { key: 'x-table', value: 'merged' } }] },
        },
      },
    ]),
  ];
  const bodyOf = async (path: string) => (await send(t.context, path)).body;
  await withFilters(
    t.context,
    filters,
    async () => (await bodyOf('/before')) === 'before',
    async () => {
      t.is(await bodyOf('/name'), 'changed');
      t.is(await bodyOf('/port'), 'port');
      t.is(await bodyOf('/port-name'), 'port name');
      t.regex(await bodyOf('/no-port'), /echo-1/);
      t.is((await send(t.context)).headers['x-table'], 'merged');
      const moved = await send(t.context, '/', 'legacy.example.com');
      t.is(moved.status, 307);
      t.is(moved.headers['location'], 'http://new.example.com/');
    },
  );
});

e2eTest('patches find the routes of a VirtualService by the names of route and match', async (t) => {
  const http = [
    { name: 'named', match: [{ name: 'case', uri: { prefix: '/named' } }], route: [{ destination: { host: HOST } }] },
    { name: 'rest', route: [{ destination: { host: HOST } }] },
  ];
  const routes = {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'VirtualService',
    metadata: { name: 'named', namespace: 'default' },
    spec: { hosts: [HOST], http },
  };
  const vhost = (name: string) => ({ vhost: { name: `${HOST}:80`, route: { name } } });
  const filters = [
    filter('f', [
      route('INSERT_BEFORE', { ...answer('by both names'), match: { path: '/named' } }, vhost('named.case')),
      route('INSERT_BEFORE', { ...answer('by the name of the route'), match: { path: '/rest' } }, vhost('rest')),
      route('INSERT_BEFORE', { ...answer('by no name'), match: { prefix: '/' } }, vhost('named.other')),
    ]),
    routes,
  ];
  const bodyOf = async (path: string) => (await send(t.context, path)).body;
  await withFilters(
    t.context,
    filters,
    async () => (await bodyOf('/named')) === 'by both names',
    async () => {
      t.is(await bodyOf('/rest'), 'by the name of the route');
      t.regex(await bodyOf('/other'), /echo-1/);
    },
  );
});

e2eTest('clusters that patches change, add and remove are in the sidecar', async (t) => {
  const clusters = async (): Promise<string> =>
    await t.context.client.envoy.admin('/config_dump?resource=dynamic_active_clusters');
  const cluster = (operation: string, match: object, value?: object) => ({
    applyTo: 'CLUSTER',
    match: { context: 'SIDECAR_OUTBOUND', ...(Object.keys(match).length === 0 ? {} : { cluster: match }) },
    patch: { operation, ...(value === undefined ? {} : { value }) },
  });
  const filters = [
    filter('f', [
      cluster('MERGE', { service: HOST, portNumber: 80 }, { connect_timeout: '7.125s' }),
      cluster('MERGE', { subset: 'none' }, { connect_timeout: '99s' }),
      cluster('REMOVE', { name: 'BlackHoleCluster' }),
      cluster('ADD', {}, { name: 'collector', type: 'STATIC', connect_timeout: '1s' }),
    ]),
  ];
  t.true((await clusters()).includes('BlackHoleCluster'));
  await withFilters(
    t.context,
    filters,
    // Clusters leave in a response of their own.
    async () => {
      const dump = await clusters();
      return dump.includes('"collector"') && !dump.includes('"BlackHoleCluster"');
    },
    async () => {
      const dump = await clusters();
      t.true(dump.includes('"7.125s"'));
      t.false(dump.includes('"99s"'));
      t.is((await send(t.context)).status, 200);
    },
  );
  await eventually('the removed cluster is back', async () => (await clusters()).includes('BlackHoleCluster'));
});

e2eTest('listeners, filter chains and network filters that patches change are in force', async (t) => {
  const inbound = (applyTo: string, operation: string, listener: object, value?: object) => ({
    applyTo,
    match: { context: 'SIDECAR_INBOUND', listener },
    patch: { operation, ...(value === undefined ? {} : { value }) },
  });
  const closing = {
    name: 'closing',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.network.rbac.v3.RBAC',
      stat_prefix: 'closing_',
      rules: { action: 'ALLOW' },
    },
  };
  const filters = [
    filter('f', [
      inbound('LISTENER', 'MERGE', { portNumber: 15006 }, { per_connection_buffer_limit_bytes: 65536 }),
      inbound('FILTER_CHAIN', 'REMOVE', {
        filterChain: {
          name: 'virtualInbound-catchall-http',
          transportProtocol: 'raw_buffer',
          applicationProtocols: 'http/1.1,h2c',
        },
      }),
      inbound('NETWORK_FILTER', 'INSERT_FIRST', { portNumber: 8080 }, closing),
    ]),
  ];
  await withFilters(
    t.context,
    filters,
    async () => (await send(t.context)).status === 503,
    async () => {
      const dump = (await activeListeners(t.context.server.envoy)).join();
      t.true(dump.includes('65536'));
      t.false(dump.includes('virtualInbound-catchall-http"'));
      t.true(dump.includes('"closing"'));
    },
  );
  t.is((await send(t.context)).status, 200);
});

e2eTest('a patch that would break the listener is skipped and named, and the sidecar goes on serving', async (t) => {
  const { discovery } = t.context.mesh;
  const filters = [
    filter('broken', [
      httpFilter('REMOVE', undefined, before('envoy.filters.http.router')),
      httpFilter('INSERT_FIRST', script('good')),
    ]),
  ];
  await withFilters(
    t.context,
    filters,
    async () => (await scriptsOf(t.context)) === 'good',
    async () => {
      const page = await eventually('analysis names the patch', async () => {
        const text = await discovery.get('/debug/config_problems');
        return text.includes('MESH0402') && text;
      });
      t.regex(page, /EnvoyFilter\/default\/broken/);
      t.regex(page, /no filter forwards the traffic/);
      t.is(await discovery.metric('nav_envoy_filter_patches_skipped'), 1);
    },
  );
});

e2eTest(
  'a script that only Envoy finds broken is withheld and named, from a starting and from a running proxy',
  async (t) => {
    const { mesh, client } = t.context;
    const { configFolder: folder } = mesh.discovery;
    const selected = { workloadSelector: { labels: { app: 'scripted' } } };
    const broken = httpFilter('ADD', {
      name: 'broken',
      typed_config: { ...script('never').typed_config, default_source_code: { inline_string: 'function broken(' } },
    });
    const apply = async (patches: readonly object[]): Promise<void> => {
      await folder.write('scripted-filter.yaml', [filter('scripted', patches, selected)]);
    };
    const scripts = async (): Promise<string> => {
      const { status, headers } = await client.agent.request(`http://${SCRIPTED.clusterIP}/`);
      return status === 200 ? String(headers['x-scripts'] ?? 'none') : `status ${status}`;
    };
    const problems = async (): Promise<string> => await mesh.discovery.get('/debug/config_problems');

    await apply([broken, httpFilter('ADD', script('first'))]);
    const scripted = await mesh.addSidecar({
      name: 'scripted-1',
      address: SCRIPTED_ADDRESS,
      labels: { app: 'scripted' },
    });
    await scripted.agent.call('serveHttp', { name: 'scripted-1', port: 8080 });
    await scripted.envoy.ready();
    await eventually('the starting proxy serves with the good patch alone', async () => (await scripts()) === 'first');
    const page = await eventually('analysis names the patch with the error of Envoy', async () => {
      const text = await problems();
      return text.includes('script load error') && text;
    });
    t.regex(page, /MESH0402/);
    t.regex(page, /EnvoyFilter\/default\/scripted/);
    t.regex(page, /configPatches\[0\]/);
    t.notRegex(page, /configPatches\[1\]/);

    await apply([httpFilter('ADD', script('corrected'))]);
    await eventually('the corrected patch is in force', async () => (await scripts()) === 'corrected');
    await eventually('analysis names no patch', async () => !(await problems()).includes('MESH0402'));

    await apply([httpFilter('ADD', script('second')), broken]);
    await eventually('the running proxy gets the other patch', async () => (await scripts()) === 'second');
    await eventually('analysis names the patch again', async () => (await problems()).includes('configPatches[1]'));
    t.true(((await mesh.discovery.metric('nav_envoy_filter_patches_withheld', { type: 'lds' })) ?? 0) >= 2);

    await folder.remove('scripted-filter.yaml');
    await eventually('the EnvoyFilter is gone', async () => (await scripts()) === 'none');
  },
);
