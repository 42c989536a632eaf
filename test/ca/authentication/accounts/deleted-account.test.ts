import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { TypeUrl } from '../../../../src/envoy/type-urls.js';
import { type RunningServer, startServer } from '../../../bootstrap/support/running-server.js';
import { type ApiServer, startApiServer } from '../../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../../counterparts/kubernetes/find-testcluster.js';
import { eventually } from '../../../support/eventually.js';
import { connectClient } from '../../../xds/grpc-client.js';
import { type CertificateAnswer, createCertificateClient } from '../../service/certificate-client.js';
import { createOpenSsl, makeRequest } from '../../support/openssl.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.serial.skip : test.serial;
const ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';

let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
    for (const name of ['shop', 'mesh-system']) {
      await api.client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
  });
  test.after.always(() => api?.close());
}

const accountOf = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace: 'shop' },
});

async function createAccount(name: string): Promise<string> {
  await api.client.apply(accountOf(name));
  const { body } = await api.client.send('POST', `/api/v1/namespaces/shop/serviceaccounts/${name}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: ['mesh-ca'] },
  });
  return (body as { status: { token: string } }).status.token;
}

interface Workload {
  readonly port: number;
  readonly roots: Buffer;
  readonly key: Buffer;
  readonly certificate: Buffer;
  /** Asks for the next certificate with the present one, as ones that live long would. */
  renew(): Promise<CertificateAnswer>;
}

/** A workload with a certificate that it got for its token. */
async function createWorkload(t: ExecutionContext, server: RunningServer, name: string): Promise<Workload> {
  const token = await createAccount(name);
  const openssl = await createOpenSsl(t);
  const csr = await makeRequest(openssl, 'EC P-256');
  const key = await readFile(join(openssl.folder, 'request.key'));
  const port = Number(String(server.logged('discovery server is ready')[0]?.['secureGrpc']).split(':').at(-1));
  const roots = Buffer.from(
    await eventually('roots', async () => {
      const { body } = await api.client.send('GET', '/api/v1/namespaces/shop/configmaps/mesh-ca-root-cert');
      return (body as { data?: Record<string, string> }).data?.['root-cert.pem'];
    }),
  );
  const ask = async (channel: ReturnType<typeof credentials.createSsl>, metadata: Record<string, string>) => {
    const client = createCertificateClient(port, channel, 'meshd.test');
    try {
      return await client.create({ csr, metadata });
    } finally {
      client.close();
    }
  };
  const first = await ask(credentials.createSsl(roots), { authorization: `Bearer ${token}` });
  t.is(first.code, 'OK', first.details);
  const certificate = Buffer.from(first.chain.slice(0, -1).join(''));
  const renew = (): Promise<CertificateAnswer> => ask(credentials.createSsl(roots, key, certificate), {});
  // The control plane learns of the account by a watch.
  await eventually('the account is known', async () => (await renew()).code === 'OK');
  return { port, roots, key, certificate, renew };
}

const start = (t: ExecutionContext, variables: Readonly<Record<string, string>> = {}): Promise<RunningServer> =>
  startServer(t, {
    orchConfig: api.kubeconfig,
    flags: ['--namespace', 'mesh-system'],
    variables: { ENABLE_CA_SERVER: 'true', POD_NAME: 'meshd-0', MESHD_CUSTOM_HOST: 'meshd.test', ...variables },
  });

it('a certificate is exchanged for the next one while its account exists, and not once it is deleted', async (t) => {
  const server = await start(t);
  const cart = await createWorkload(t, server, 'cart');
  t.is((await cart.renew()).code, 'OK');
  await api.client.delete(accountOf('cart'));
  await eventually('the account is gone', async () => (await cart.renew()).code === 'UNAUTHENTICATED');
  t.true(
    server
      .logged('certificate request rejected')
      .some((line) => JSON.stringify(line).includes('shop/sa/cart does not exist')),
  );
});

it('streams of an account that is deleted end at once; those of others stay', async (t) => {
  const server = await start(t);
  const open = async (name: string) => {
    const { port, roots, key, certificate } = await createWorkload(t, server, name);
    const client = connectClient(port, ADS, { channel: credentials.createSsl(roots, key, certificate) });
    t.teardown(client.close);
    client.send({ node: `sidecar~10.0.0.1~${name}-1.shop~shop.svc.cluster.local`, typeUrl: TypeUrl.cluster });
    await client.response(0);
    return client;
  };
  const [cart, web] = [await open('cart-2'), await open('web')];
  await api.client.delete(accountOf('cart-2'));
  const { details } = await cart.ended();
  t.is(
    details,
    'authentication failure: the service account of spiffe://cluster.local/ns/shop/sa/cart-2 does not exist',
  );
  t.is(web.error, undefined);
});

it('while the API server is away certificates are renewed for the limit, and not for longer', async (t) => {
  const [patient, strict] = [await start(t), await start(t, { NAV_ACCOUNT_OUTAGE_LIMIT: '0s' })];
  const [first, second] = [await createWorkload(t, patient, 'a'), await createWorkload(t, strict, 'b')];
  t.is((await second.renew()).code, 'OK');
  await api.stopApi();
  t.teardown(() => api.startApi());
  await eventually('the limit of nothing is over', async () => (await second.renew()).code === 'UNAUTHENTICATED');
  t.true(
    strict
      .logged('certificate request rejected')
      .some((line) => JSON.stringify(line).includes('NAV_ACCOUNT_OUTAGE_LIMIT')),
  );
  t.is((await first.renew()).code, 'OK');
});

it('NAV_CHECK_SERVICE_ACCOUNTS=false goes by the certificate alone', async (t) => {
  const server = await start(t, { NAV_CHECK_SERVICE_ACCOUNTS: 'false' });
  const cart = await createWorkload(t, server, 'unchecked');
  await api.client.delete(accountOf('unchecked'));
  t.is((await cart.renew()).code, 'OK');
});
