import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { createCertificateClient } from '../ca/service/certificate-client.js';
import { createOpenSsl, makeRequest } from '../ca/support/openssl.js';
import { type ApiServer, startApiServer } from '../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../counterparts/kubernetes/find-testcluster.js';
import { checkRequestBytes, httpCheck } from '../policy/server/policy-server-rig.js';
import { createTempFolder, type TempFolder } from '../sources/support/temp-folder.js';
import { eventually } from '../support/eventually.js';
import { writeWhole } from '../support/write-whole.js';
import { untilReady } from './support/policy-mesh.js';
import { type PolicyServerProcess, startPolicyProcess } from './support/policy-process.js';
import { type RunningServer, startServer } from './support/running-server.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.serial.skip : test.serial;
const CHECK = '/envoy.service.auth.v3.Authorization/Check';
const passThrough = (bytes: Buffer): Buffer => bytes;
const NAMESPACES = ['mesh-system', 'shop', 'bank'];

let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
    for (const name of NAMESPACES) {
      await api.client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      await api.client.apply({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web', namespace: name },
        spec: { ports: [{ name: 'http', port: 80 }], selector: { app: 'web' } },
      });
    }
  });
  test.after.always(() => api?.close());
}

async function tokenOf(namespace: string, name: string): Promise<string> {
  await api.client.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } });
  const { body } = await api.client.send('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: ['mesh-ca'] },
  });
  return (body as { status: { token: string } }).status.token;
}

/** A control plane of the cluster, whose mesh has a policy server; and a folder with its roots, for its clients. */
async function startMesh(t: ExecutionContext): Promise<{ server: RunningServer; folder: TempFolder; port: number }> {
  const server = await startServer(t, {
    orchConfig: api.kubeconfig,
    flags: ['--namespace', 'mesh-system'],
    variables: { ENABLE_CA_SERVER: 'true', POD_NAME: 'meshd-0', MESHD_CUSTOM_HOST: 'meshd.test' },
  });
  await writeWhole(server.meshConfigFile, 'mixerCheckServer: policy.mesh-system.svc.cluster.local:15016\n');
  const roots = await eventually('roots', async () => {
    const { body } = await api.client.send('GET', '/api/v1/namespaces/shop/configmaps/mesh-ca-root-cert');
    return (body as { data?: Record<string, string> }).data?.['root-cert.pem'];
  });
  const folder = await createTempFolder();
  t.teardown(() => folder.dispose());
  await folder.write('root-cert.pem', roots);
  const port = Number(String(server.logged('discovery server is ready')[0]?.['secureGrpc']).split(':').at(-1));
  return { server, folder, port };
}

const flagsTo = (port: number, folder: TempFolder, ...more: readonly string[]): readonly string[] => [
  ...['--discoveryAddress', `127.0.0.1:${port}`, '--discoveryServerName', 'meshd.test'],
  ...['--discoveryRootCert', folder.at('root-cert.pem'), '--discoveryTokenFile', folder.at('token')],
  ...more,
];

async function servicesOf(process: PolicyServerProcess): Promise<number | undefined> {
  const { body } = await process.monitoring.get('/metrics');
  const found = /^policy_discovery_services (\d+)$/m.exec(body)?.[1];
  // Zero until the first response.
  return found === undefined || found === '0' ? undefined : Number(found);
}

it('the account navigator-policy is served the policies of all namespaces over TLS', async (t) => {
  const { folder, port } = await startMesh(t);
  await folder.write('token', await tokenOf('mesh-system', 'navigator-policy'));
  const policy = await startPolicyProcess(t, flagsTo(port, folder));
  await untilReady(policy);
  // One of each namespace, and `kubernetes` of the API server.
  t.is(await eventually('services', () => servicesOf(policy)), NAMESPACES.length + 1);
});

it('another account of the namespace is served the policies of that namespace alone', async (t) => {
  const { folder, port } = await startMesh(t);
  await folder.write('token', await tokenOf('mesh-system', 'dashboard'));
  const policy = await startPolicyProcess(t, flagsTo(port, folder));
  t.is(await eventually('services', () => servicesOf(policy)), 1);
});

it('an account of the same name in another namespace is served the policies of that namespace alone', async (t) => {
  const { folder, port } = await startMesh(t);
  await folder.write('token', await tokenOf('shop', 'navigator-policy'));
  const policy = await startPolicyProcess(t, flagsTo(port, folder, '--namespace', 'shop'));
  t.is(await eventually('services', () => servicesOf(policy)), 1);
  const claims = await startPolicyProcess(t, flagsTo(port, folder, '--namespace', 'mesh-system'));
  await eventually('the claim is refused', () =>
    claims.log().some((line) => String(line['reason']).includes('the node claims namespace mesh-system')),
  );
});

it('a client certificate does instead of a token, and a missing file is named and tried again', async (t) => {
  const { folder, port } = await startMesh(t);
  const openssl = await createOpenSsl(t);
  const csr = await makeRequest(openssl, 'EC P-256');
  const roots = await readFile(folder.at('root-cert.pem'));
  const client = createCertificateClient(port, credentials.createSsl(roots), 'meshd.test');
  t.teardown(client.close);
  const authorization = `Bearer ${await tokenOf('mesh-system', 'navigator-policy')}`;
  const { chain } = await client.create({ csr, metadata: { authorization } });
  const [certificate, key] = [folder.at('cert-chain.pem'), join(openssl.folder, 'request.key')];
  const policy = await startPolicyProcess(
    t,
    flagsTo(port, folder, '--discoveryClientCert', certificate, '--discoveryClientKey', key),
  );
  await eventually('the log names the flag', () =>
    policy.log().some((line) => String(line['reason']).startsWith('the file of --discoveryClientCert cannot be read')),
  );
  await folder.write('cert-chain.pem', chain.slice(0, -1).join(''));
  t.is(await eventually('services', () => servicesOf(policy)), NAMESPACES.length + 1);
});

it('a policy server of its own process answers over mutual TLS with its own certificate, and refuses the forged', async (t) => {
  const { folder, port } = await startMesh(t);
  await folder.write('token', await tokenOf('mesh-system', 'navigator-policy'));
  const policy = await startPolicyProcess(t, flagsTo(port, folder, '--policyTls', 'strict'));
  await untilReady(policy);
  const roots = await readFile(folder.at('root-cert.pem'));
  const openssl = await createOpenSsl(t);
  const authority = createCertificateClient(port, credentials.createSsl(roots), 'meshd.test');
  t.teardown(authority.close);
  const ask = async (namespace: string): Promise<string> => {
    const csr = await makeRequest(openssl, 'EC P-256');
    const key = await readFile(join(openssl.folder, 'request.key'));
    const authorization = `Bearer ${await tokenOf(namespace, 'web')}`;
    const { chain } = await authority.create({ csr, metadata: { authorization } });
    const leaf = Buffer.from(chain.slice(0, -1).join(''));
    const channel = credentials.createSsl(roots, key, leaf, {
      checkServerIdentity: (_host, { subjectaltname }) =>
        subjectaltname === 'URI:spiffe://cluster.local/ns/mesh-system/sa/navigator-policy'
          ? undefined
          : new Error(String(subjectaltname)),
    });
    const client = new Client(`127.0.0.1:${policy.policyPort}`, channel, { 'grpc.use_local_subchannel_pool': 1 });
    t.teardown(() => client.close());
    const metadata = new Metadata();
    metadata.set('x-mesh-service', 'web.shop.svc.cluster.local');
    return await new Promise((resolve) => {
      const message = checkRequestBytes(httpCheck());
      client.makeUnaryRequest(CHECK, passThrough, passThrough, message, metadata, (error) =>
        resolve(error === null ? 'answered' : `${error.code} ${error.details}`),
      );
    });
  };
  t.is(await ask('shop'), 'answered');
  t.regex(await ask('bank'), /^7 the caller bank\/web is no workload of the service/);
});
