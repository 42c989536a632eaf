import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { allowedStatOf, buildCheckBootstrap } from '../../../bench/envoy/check-bootstrap.js';
import { CHECK_FILTER_NAME, FAST_FILTER_NAME, writeCheckedMesh } from '../../../bench/envoy/checked-mesh.js';
import { buildPolicyWorkload } from '../../../bench/policy/workload.js';
import { readObject } from '../../config/support/read-yaml.js';

test('the measured policies are valid objects, bound to the service, and every quota has a limit', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-bench-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const workload = buildPolicyWorkload({ patterns: 100, rules: 20 });
  const files = await writeCheckedMesh(folder, workload);
  const kinds = new Map<string, object>();
  for (const file of (await readdir(files.meshFolder)).filter(
    (name) => name.endsWith('.json') && !name.startsWith('fast'),
  )) {
    const { kind, body } = readObject(await readFile(join(files.meshFolder, file), 'utf8'));
    kinds.set(kind, body as object);
  }
  t.deepEqual([...kinds.keys()].sort(), ['HTTPAPISpec', 'HTTPAPISpecBinding', 'QuotaSpec', 'QuotaSpecBinding']);
  t.like(kinds.get('QuotaSpecBinding'), {
    services: [{ service: 'shop.shop.svc.cluster.local' }],
    quotaSpecs: [{ name: 'shop' }],
  });
  const { quotas }: { quotas: { name: string }[] } = JSON.parse(await readFile(files.policyConfigFile, 'utf8'));
  t.deepEqual(
    quotas.map(({ name }) => name),
    [...Array.from({ length: 20 }, (_, index) => `quota${index}`), 'fast'],
  );
});

test('the listeners differ in the check alone: none, the floors, the filter that discovery gives the sidecar', (t) => {
  const ports = { plain: 2, grpcFloor: 3, httpFloor: 4, policy: 5, fast: 9 };
  const options = { adminPort: 1, ports, discoveryPort: 6, floorPorts: { grpc: 7, http: 8 } };
  const names = { filterName: CHECK_FILTER_NAME, fastFilterName: FAST_FILTER_NAME };
  const bootstrap = buildCheckBootstrap({ ...options, nodeId: 'n', ...names }) as {
    static_resources: { listeners: { filter_chains: { filters: { typed_config: { http_filters: object[] } }[] }[] }[] };
  };
  const filters = bootstrap.static_resources.listeners.map(
    ({ filter_chains: [chain] }) => chain?.filters[0]?.typed_config.http_filters ?? [],
  );
  t.deepEqual(
    filters.map((list) => list.length),
    [1, 2, 2, 2, 2],
  );
  t.like(filters[1]?.[0], { name: 'floor', typed_config: { grpc_service: { timeout: '5s' } } });
  t.like(filters[2]?.[0], { name: 'floor', typed_config: { http_service: { server_uri: { timeout: '5s' } } } });
  t.like(filters[3]?.[0], {
    name: 'policy|inbound|80|http|shop.shop.svc.cluster.local',
    config_discovery: { config_source: { ads: {} } },
  });
  for (const [, router] of filters.slice(1)) t.deepEqual(router, filters[0]?.[0]);
  t.like(filters[4]?.[0], { name: 'policy|fast|inbound|81|http|fast.shop.svc.cluster.local' });
  t.is(new Set((['grpcFloor', 'httpFloor', 'policy'] as const).map(allowedStatOf)).size, 3);
});
