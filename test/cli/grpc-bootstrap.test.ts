import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { runCommandLine } from './run-command.js';

const POD = { INSTANCE_IP: '10.0.0.7', POD_NAME: 'shop-1', POD_NAMESPACE: 'shop' };
const FILES = ['--certificate=/certs/cert.pem', '--privateKey=/certs/key.pem', '--roots=/certs/roots.pem'];
const WATCHED = {
  certificate_file: '/certs/cert.pem',
  private_key_file: '/certs/key.pem',
  ca_certificate_file: '/certs/roots.pem',
  refresh_interval: '600s',
};

test('grpc-bootstrap prints the bootstrap of the pod in its variables', async (t) => {
  const flags = ['--discoveryAddress=navigator:15010', '--labels={"app":"shop"}', '--locality=north/a/rack/1'];
  const { code, stdout, stderr } = await runCommandLine(['grpc-bootstrap', ...flags], {
    ...POD,
    SERVICE_ACCOUNT: 'cart',
    MESH_META_NETWORK: 'west',
  });
  t.is(code, 0, stderr);
  t.deepEqual(JSON.parse(stdout), {
    xds_servers: [
      { server_uri: 'navigator:15010', channel_creds: [{ type: 'insecure' }], server_features: ['xds_v3'] },
    ],
    node: {
      id: 'sidecar~10.0.0.7~shop-1.shop~shop.svc.cluster.local',
      metadata: {
        ...{ GENERATOR: 'grpc', NAMESPACE: 'shop', INSTANCE_IPS: '10.0.0.7', LABELS: { app: 'shop' } },
        ...{ SERVICE_ACCOUNT: 'cart', NETWORK: 'west' },
      },
      locality: { region: 'north', zone: 'a', sub_zone: 'rack/1' },
    },
    server_listener_resource_name_template: 'grpc/lds/inbound/%s',
  });
});

test('grpc-bootstrap writes the certificate provider, and shows the certificate to the secured port', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'grpc-bootstrap-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'bootstrap.json');
  const result = await runCommandLine(
    ['grpc-bootstrap', '-o', path, '--discoveryRoots=/mesh/root.pem', '--domain=mesh.example', ...FILES],
    POD,
  );
  t.deepEqual(result, { code: 0, stdout: `wrote ${path}\n`, stderr: '' });
  const { xds_servers: servers, node, certificate_providers: providers } = JSON.parse(await readFile(path, 'utf8'));
  t.deepEqual(servers[0].channel_creds, [
    { type: 'tls', config: { ...WATCHED, ca_certificate_file: '/mesh/root.pem' } },
  ]);
  t.is(node.id, 'sidecar~10.0.0.7~shop-1.shop~shop.svc.mesh.example');
  t.is(node.metadata.CERTIFICATE_PROVIDER, 'default');
  t.deepEqual(node.locality, {}, '@grpc/grpc-js-xds needs the field');
  t.deepEqual(providers, { default: { plugin_name: 'file_watcher', config: WATCHED } });
});

for (const [what, flags, reason] of [
  ['a certificate without its key', FILES.slice(0, 1), /needs all of --certificate, --privateKey and --roots/],
  ['labels that are no texts', ['--labels={"app":1}'], /--labels must be a JSON object of texts/],
  ['labels that are no JSON', ['--labels=app'], /--labels must be a JSON object of texts/],
] as const) {
  test(`grpc-bootstrap rejects ${what}`, async (t) => {
    const { code, stdout, stderr } = await runCommandLine(['grpc-bootstrap', ...flags], POD);
    t.deepEqual([code, stdout], [1, '']);
    t.regex(stderr, reason);
  });
}
