import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readdir, readFile, readlink } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../src/base/clock.js';
import { createGrpcAgent } from '../../src/bootstrap/grpc-agent/grpc-agent.js';
import { createLogging } from '../../src/telemetry/logging.js';
import { unsignedToken } from '../ca/authentication/credentials.js';
import { createCaRig } from '../ca/service/ca-rig.js';
import { createTempFolder } from '../sources/support/temp-folder.js';
import { createTestAuthority } from '../support/certificate-issuer.js';
import { eventually } from '../support/eventually.js';
import { loggingOptions } from '../telemetry/logging-options.js';
import { createHttpReader } from './support/http-reader.js';

const TOKEN = unsignedToken({ sub: 'cart', exp: 4_000_000_000 });

/** An agent of the service account `cart`, and a control plane that accepts tokens while `accepts` is true. */
async function startAgent(t: ExecutionContext, { lifeMs = 0, accepts = true } = {}) {
  const reviewed = { accepts };
  const rig = await createCaRig(t, {
    review: async () => ({
      status: 201,
      body: {
        status: reviewed.accepts
          ? {
              authenticated: true,
              user: { username: 'system:serviceaccount:shop:cart', groups: ['system:serviceaccounts'] },
              audiences: ['mesh-ca'],
            }
          : { authenticated: false, error: 'unknown token' },
      },
      retryAfterMs: undefined,
    }),
    authority: (local) => ({ ...local, issue: (request) => local.issue({ ...request, ttlMs: lifeMs }) }),
  });
  const folder = await createTempFolder();
  t.teardown(() => folder.dispose());
  await folder.write('root-cert.pem', rig.secured.authority.certificate);
  await folder.write('mesh-token', `${TOKEN}\n`);
  const lines: { readonly msg: string; readonly level: string }[] = [];
  const agent = createGrpcAgent(
    {
      discoveryAddress: `127.0.0.1:${rig.secured.port}`,
      discoveryServerName: 'meshd.test',
      discoveryRootCertFile: folder.at('root-cert.pem'),
      discoveryTokenFile: folder.at('mesh-token'),
      output: folder.at('certificates'),
      xdsSocket: '',
      readyAddr: { host: '127.0.0.1', port: 0 },
    },
    createLogging(loggingOptions({ logAsJson: true }), {
      now: systemClock.now,
      sinks: [{ colored: false, write: (line) => void lines.push(JSON.parse(line)), close: async () => undefined }],
    }),
    systemClock,
  );
  t.teardown(() => agent.stop());
  const { port } = await agent.start();
  const read = (file: string): Promise<string> => readFile(folder.at(`certificates/${file}`), 'utf8');
  const ready = async (): Promise<number> => (await createHttpReader(port).get('/healthz/ready')).status;
  return { rig, folder, read, ready, lines, reviewed };
}

test('the agent writes a key, its certificate for the identity of the token, and the roots', async (t) => {
  const { rig, folder, read, ready } = await startAgent(t);
  const leaf = new X509Certificate(await read('cert.pem'));
  t.is(leaf.subjectAltName, 'URI:spiffe://cluster.local/ns/shop/sa/cart');
  t.true(leaf.checkPrivateKey(createPrivateKey(await read('key.pem'))));
  t.is(await read('roots.pem'), rig.secured.authority.certificate);
  t.is(await ready(), 200);
  const files = (await readdir(folder.path)).filter((name) => name.includes('certificates'));
  t.deepEqual(files.sort(), [await readlink(folder.at('certificates')), 'certificates']);
});

test('the agent renews key and certificate before the certificate expires, and leaves no old key', async (t) => {
  const { folder, read, ready } = await startAgent(t, { lifeMs: 4000 });
  const [key, certificate] = [await read('key.pem'), await read('cert.pem')];
  await eventually('another certificate', async () => (await read('cert.pem')) !== certificate);
  // An agent that is not scheduled for the life of a certificate has none for a moment.
  await eventually('the agent is ready', async () => (await ready()) === 200);
  t.not(await read('key.pem'), key);
  await eventually('the old version is removed', async () => {
    const versions = (await readdir(folder.path)).filter((name) => name.startsWith('..certificates.'));
    return versions.length === 1;
  });
});

test('new root certificates are written at once, and unreadable ones are not', async (t) => {
  const { rig, folder, read, lines } = await startAgent(t);
  const both = rig.secured.authority.certificate + createTestAuthority('next').certificate;
  await folder.write('root-cert.pem', 'no certificate');
  await eventually('the log tells it', () =>
    lines.some(({ msg }) => msg === 'root certificates not used, the last good ones stay'),
  );
  t.is(await read('roots.pem'), rig.secured.authority.certificate);
  await folder.write('root-cert.pem', both);
  await eventually('both roots', async () => (await read('roots.pem')) === both);
});

test('the agent is not ready while the control plane refuses its token, and tries again', async (t) => {
  const { folder, ready, lines, reviewed, read } = await startAgent(t, { accepts: false });
  t.is(await ready(), 503);
  const [told] = lines.filter(({ msg }) => msg === 'certificate files not renewed, retrying');
  t.regex(JSON.stringify(told), /request authenticate failure/);
  reviewed.accepts = true;
  // The verdict about the first token is kept.
  await folder.write('mesh-token', unsignedToken({ sub: 'cart', exp: 4_000_000_001 }));
  await eventually('the agent is ready', async () => (await ready()) === 200);
  t.true((await read('cert.pem')).startsWith('-----BEGIN CERTIFICATE-----'));
});
