import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { dump, load } from 'js-yaml';
import { inject } from '../../../src/webhooks/injection/inject.js';
import { InjectionError } from '../../../src/webhooks/injection/injection-error.js';
import { runCommand } from '../../counterparts/command.js';
import { findEnvoy } from '../../counterparts/find-envoy.js';
import { programFile } from '../../counterparts/program-file.js';
import { projectRoot } from '../../counterparts/project-root.js';
import { createSelfSignedCertificate } from '../../support/self-signed-certificate.js';
import {
  applyTo,
  containerOf,
  injectShipped,
  patchIn,
  podOf,
  requestOf,
  shippedSettings,
  type TestPod,
  tools,
} from './support/injection.js';
import { bootstrapOf } from './support/proxy-bootstrap.js';

const FOLDER = join(projectRoot(), 'test/webhooks/injection/golden');
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';
const SHIPPED = shippedSettings();
const envoy = findEnvoy();
if ('missing' in envoy && process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(envoy.missing);
const envoyTest = 'missing' in envoy ? test.skip : test;

const proxyOf = (values: object): object => ({ ...(SHIPPED.values['proxy'] as object), ...values });
const PLAIN = shippedSettings({}, { proxy: proxyOf({ native: false }) });

function readPod(file: string): TestPod {
  return load(readFileSync(join(FOLDER, file), 'utf8')) as TestPod;
}

/** Arguments of a container; empty without the container. */
const argsOf = (pod: TestPod, name: string): readonly string[] =>
  pod.spec.initContainers?.find((container) => container.name === name)?.args ?? [];

const hasProxy = ({ spec }: TestPod): boolean =>
  [...spec.containers, ...(spec.initContainers ?? [])].some(({ name }) => name === 'mesh-proxy');

const inputs = readdirSync(FOLDER).filter((file) => file.endsWith('.in.yaml'));

/** Replaces Envoy's bootstrap, which is one argument, by its content. */
function readable(pod: TestPod): unknown {
  return JSON.parse(JSON.stringify(pod), (key, value) =>
    key === 'args' && Array.isArray(value) && value[0] === '--config-yaml'
      ? [value[0], JSON.parse(String(value[1])), ...value.slice(2)]
      : value,
  );
}

for (const file of inputs) {
  const pod = readPod(file);
  const decision = inject(requestOf(pod), SHIPPED, tools);
  const patch = patchIn(decision);
  const result = applyTo(pod, patch);

  test(`${file}: pod and operations equal the golden file (UPDATE_GOLDEN=1 rewrites it)`, (t) => {
    const path = join(FOLDER, file.replace('.in.yaml', '.yaml'));
    const status = JSON.parse(result.metadata.annotations?.['sidecar.mesh.internal/status'] ?? '');
    const template = pod.metadata.annotations?.['inject.mesh.internal/templates'];
    const text = template === undefined ? SHIPPED.config.template : SHIPPED.config.templates[template];
    t.is(status.version, SHIPPED.compiled.get(text ?? '')?.version);
    const actual = dump(
      {
        warnings: decision.type === 'inject' ? decision.warnings : [],
        operations: patch.map((operation) => `${operation.op} ${operation.path}`),
        // The version changes with every change of the template.
        pod: JSON.parse(JSON.stringify(readable(result)).replaceAll(status.version, '<version>')),
      },
      { lineWidth: 120, noRefs: true },
    );
    if (UPDATE) writeFileSync(path, actual);
    t.true(existsSync(path), `${path} is missing: run again with UPDATE_GOLDEN=1, and read what it wrote`);
    t.is(actual, readFileSync(path, 'utf8'));
  });

  test(`${file}: a second injection changes nothing, as native sidecar and as container`, (t) => {
    t.deepEqual(injectShipped(result, SHIPPED), result);
    const plain = injectShipped(pod, PLAIN);
    t.deepEqual(injectShipped(plain, PLAIN), plain);
    if (hasProxy(result)) t.is(injectShipped(result, PLAIN).spec.containers.at(-1)?.name, 'mesh-proxy');
  });

  if (!hasProxy(result)) continue;
  envoyTest(`${file}: Envoy takes the bootstrap, also of a pod with an IPv6 address`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'navigator-bootstrap-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'root-cert.pem'), createSelfSignedCertificate().certificate);
    await writeFile(join(folder, 'mesh-token'), 'token');
    const here = (text: string): string =>
      text.replaceAll(/\/var\/run\/secrets\/(mesh|tokens)|\/etc\/mesh\/proxy/g, folder);
    const main = programFile('navigator-discovery');
    const written = argsOf(result, 'mesh-init').filter((arg) => arg.startsWith('--writeFile='));
    await runCommand([process.execPath, main, 'capture-traffic', '--interceptionMode=NONE', ...written.map(here)]);
    for (const [annotation, file] of [
      ['rootFile', 'root.json'],
      ['tokenFile', 'token.json'],
    ] as const) {
      const content = result.metadata.annotations?.[`proxy.mesh.internal/${annotation}`];
      if (content !== undefined) await writeFile(join(folder, file), here(content));
    }
    for (const address of ['10.244.0.5', 'fd00:10:244::5']) {
      const text = here(JSON.stringify(bootstrapOf(result, address)));
      const binary = 'value' in envoy ? envoy.value : '';
      await t.notThrowsAsync(runCommand([binary, '--mode', 'validate', '--config-yaml', text, '--log-level', 'error']));
    }
  });
}

test('a proxy container drains before it ends, and does not restart by itself', (t) => {
  const proxy = containerOf(injectShipped(podOf(), PLAIN), 'mesh-proxy');
  t.deepEqual(proxy['lifecycle'], { preStop: { sleep: { seconds: 5 } } });
  t.is(proxy['restartPolicy'], undefined);
  t.is(proxy['startupProbe'], undefined);
  const native = containerOf(injectShipped(podOf(), SHIPPED), 'mesh-proxy');
  t.is(native['lifecycle'], undefined);
  t.is(native['restartPolicy'], 'Always');
});

test('with dnsCapture the pod sends its DNS packets to the proxy, which gets a DNS listener', (t) => {
  const captured = injectShipped(podOf(), shippedSettings({}, { dnsCapture: true }));
  t.true(argsOf(captured, 'mesh-init').includes('--captureDNS'));
  t.true(JSON.stringify(bootstrapOf(captured)).includes('"DNS_CAPTURE":"true"'));
  const plain = injectShipped(podOf(), SHIPPED);
  t.false(argsOf(plain, 'mesh-init').includes('--captureDNS'));
  t.false(JSON.stringify(bootstrapOf(plain)).includes('DNS_CAPTURE'));
});

test('interception mode TPROXY is rejected, with the remedy', (t) => {
  const pod = podOf({ annotations: { 'sidecar.mesh.internal/interceptionMode': 'TPROXY' } });
  const error = t.throws(() => injectShipped(pod, SHIPPED), { instanceOf: InjectionError });
  t.regex(error?.message ?? '', /TPROXY needs a proxy that may change the network.*use REDIRECT or NONE/);
});

test('labels and paths of a pod cannot break out of their place in the template', (t) => {
  const hostile = '"}}], "admin": {"address": "0.0.0.0"} {{ Values }} $(POD_IP) # \' \n- x: &a';
  const pod: TestPod = {
    metadata: { name: 'web', labels: { app: hostile } },
    spec: { containers: [{ name: 'app', image: 'a', readinessProbe: { httpGet: { path: hostile, port: 80 } } }] },
  };
  const bootstrap = JSON.parse(JSON.stringify(bootstrapOf(injectShipped(pod, SHIPPED))));
  t.is(bootstrap.node.metadata.LABELS.app, hostile);
  t.is(bootstrap.admin.address.socket_address.address, '127.0.0.1');
  const health = bootstrap.static_resources.listeners.find(
    ({ name }: { name: string }) => name === 'application_health',
  );
  const [route] = health.filter_chains[0].filters[0].typed_config.route_config.virtual_hosts[0].routes;
  t.is(route.route.prefix_rewrite, `/${hostile}`);
});

test('the name of a workload is literal, even if it looks like a variable', (t) => {
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: '$(INSTANCE_IP)', controller: true };
  const pod: TestPod = podOf({ ownerReferences: [owner] });
  const { node } = JSON.parse(JSON.stringify(bootstrapOf(injectShipped(pod, SHIPPED))));
  t.is(node.metadata.WORKLOAD_NAME, '$(INSTANCE_IP)');
  t.true(node.cluster.startsWith('$(INSTANCE_IP).'));
});

test('a probe passes as the kubelet sends it, and without an added query', (t) => {
  const pod = podOf(
    {},
    { containers: [{ name: 'app', image: 'a', livenessProbe: { httpGet: { path: '/', port: 80 } } }] },
  );
  const text = JSON.stringify(bootstrapOf(injectShipped(pod, SHIPPED)));
  const route = '/app-health/app/livez';
  const exactly = (name: string, value: string) => ({ name, string_match: { exact: value } });
  t.true(text.includes(JSON.stringify({ path: route, headers: [exactly(':method', 'GET'), exactly(':path', route)] })));
});

test('every listener in front of the admin page allows only one path, for reading', (t) => {
  const { static_resources: resources } = JSON.parse(JSON.stringify(bootstrapOf(injectShipped(podOf(), SHIPPED))));
  const doors = resources.listeners.map((listener: { filter_chains: { filters: { typed_config: unknown }[] }[] }) =>
    JSON.stringify(listener.filter_chains[0]?.filters[0]?.typed_config),
  );
  t.is(doors.length, 2);
  for (const door of doors) {
    t.regex(
      door,
      /"routes":\[\{"match":\{"path":"\/(healthz\/ready|stats\/prometheus)","headers":\[\{"name":":method","string_match":\{"exact":"GET"\}\}\]\},"route":\{"cluster":"admin"/,
    );
  }
});

test('proxy and init container have only the rights that they need', (t) => {
  const pod = injectShipped(podOf(), SHIPPED);
  t.like(containerOf(pod, 'mesh-proxy')['securityContext'], {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    runAsUser: 1337,
  });
  t.like(containerOf(pod, 'mesh-init')['securityContext'], {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'], add: ['NET_ADMIN', 'NET_RAW'] },
    readOnlyRootFilesystem: true,
  });
});

test('a pod on demand speaks delta, by its annotation or the mesh config, unless it chooses otherwise', (t) => {
  const protocolOf = (onDemand: boolean, annotations: Readonly<Record<string, string>>) => {
    const settings = shippedSettings({ onDemand });
    const pod = injectShipped(podOf({ annotations }), settings);
    const { dynamic_resources: dynamic, node } = bootstrapOf(pod) as {
      readonly dynamic_resources: { readonly ads_config: { readonly api_type: string } };
      readonly node: { readonly metadata: Readonly<Record<string, unknown>> };
    };
    return [dynamic.ads_config.api_type, node.metadata['ON_DEMAND']];
  };
  const onDemand = 'sidecar.mesh.internal/onDemand';
  t.deepEqual(protocolOf(false, {}), ['GRPC', undefined]);
  t.deepEqual(protocolOf(false, { [onDemand]: 'true' }), ['DELTA_GRPC', 'true']);
  t.deepEqual(protocolOf(true, {}), ['DELTA_GRPC', undefined]);
  t.deepEqual(protocolOf(true, { [onDemand]: 'false' }), ['GRPC', 'false']);
  t.deepEqual(protocolOf(true, { 'sidecar.mesh.internal/xdsProtocol': 'sotw' }), ['GRPC', undefined]);
});
