import anyTest, { type TestFn } from 'ava';
import { selfSigned } from '../ca/support/material.js';
import type { ServiceOptions } from '../counterparts/manifests.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { eventually } from '../support/eventually.js';
import { countOfClusters } from './envoy-evidence.js';
import { createRoot } from './plugged-in-authority.js';
import { requestsDuring } from './running-load.js';
import {
  type CertificatesInUse,
  certificatesOf,
  createSecuredMesh,
  type PodOptions,
  peerAuthenticationManifest,
  podManifest,
  type SecuredMesh,
  type SecuredSidecar,
  serialOf,
  serviceOn,
} from './secured-mesh.js';

interface Context {
  secured: SecuredMesh;
  server: SecuredSidecar;
  client: SecuredSidecar;
  nextRoot: Awaited<ReturnType<typeof createRoot>>;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const SERVER: PodOptions = {
  name: 'server-1',
  namespace: 'default',
  address: '10.244.0.6',
  serviceAccount: 'server',
  isSecured: true,
};
const CLIENT: PodOptions = { ...SERVER, name: 'client-1', address: '10.244.0.5', serviceAccount: 'client' };
/** HTTP that the sidecars take for bytes: each request of the load is a connection, and so a handshake. */
const SERVICE: ServiceOptions = {
  name: 'server',
  clusterIP: '10.96.0.10',
  ports: [{ name: 'tcp', port: 9000, targetPort: 8080 }],
};
const CLUSTER = 'outbound|9000||server.default.svc.cluster.local';

/** Renewed at half to four fifths of it: eight seconds before its end, at least. A process may not be scheduled for five. */
const WORKLOAD_TTL = '40s';
const ROTATION = { timeoutMs: 100_000 };
const CONCURRENCY = 2;

test.before(async (t) => {
  if (available === undefined) return;
  const nextRoot = await createRoot();
  const secured = await createSecuredMesh(available, {
    env: { DEFAULT_WORKLOAD_CERT_TTL: WORKLOAD_TTL },
    otherRoots: nextRoot.roots,
    files: {
      'pods.yaml': [SERVER, CLIENT].map(podManifest),
      'server.yaml': serviceOn(SERVICE, SERVER),
      'strict.yaml': [peerAuthenticationManifest('mesh-system', { mtls: { mode: 'STRICT' } })],
    },
  });
  Object.assign(t.context, { secured });
  const [server, client] = await Promise.all([SERVER, CLIENT].map(secured.addPod));
  if (!server || !client) throw new Error('a sidecar is missing');
  await server.agent.call('serveHttp', { name: 'server', port: 8080 });
  await Promise.all([server.envoy.ready(), client.envoy.ready()]);
  t.context = { secured, server, client, nextRoot };
});

test.after.always(async (t) => {
  await t.context.secured?.mesh.close();
});

interface LoadEvidence {
  readonly requests: number;
  /** Requests that ended while the test acted. At most `CONCURRENCY` of them began before. */
  readonly during: number;
  readonly failures: readonly string[];
  readonly handshakes: number;
}

/** Runs under load, and proves that each request of it was a handshake that went well. */
async function underLoad({ client }: Context, act: () => Promise<void>): Promise<LoadEvidence> {
  const handshakes = () => countOfClusters(client.envoy, CLUSTER, 'ssl.handshake');
  const before = await handshakes();
  await client.agent.call('startLoad', {
    request: { url: `http://${SERVICE.clusterIP}:9000/` },
    concurrency: CONCURRENCY,
    newConnections: true,
  });
  const [during = 0] = await requestsDuring([client.agent], act);
  const { requests, samples } = await client.agent.call('stopLoad', null);
  return { requests, during, failures: samples, handshakes: (await handshakes()) - before };
}

/** Waits until both sidecars use certificates of which this holds. */
async function eventuallyBoth(
  { server, client }: Context,
  what: string,
  holds: (now: CertificatesInUse, index: number) => boolean,
): Promise<void> {
  for (const [index, sidecar] of [server, client].entries()) {
    await eventually(
      `${sidecar.envoy.name}: ${what}`,
      async () => holds(await certificatesOf(sidecar), index),
      ROTATION,
    );
  }
}

function isRenewed(before: CertificatesInUse | undefined, { workload }: CertificatesInUse): boolean {
  return workload.size > 0 && [...workload].every((serial) => before?.workload.has(serial) === false);
}

const snapshot = ({ server, client }: Context) => Promise.all([server, client].map(certificatesOf));

e2eTest('workload certificates are renewed before they expire, and no request fails', async (t) => {
  const { requests, during, failures, handshakes } = await underLoad(t.context, async () => {
    const before = await snapshot(t.context);
    await eventuallyBoth(t.context, 'its certificate is another', (now, index) => isRenewed(before[index], now));
  });
  t.deepEqual(failures, []);
  t.true(during > CONCURRENCY, `${during} requests meanwhile`);
  t.true(handshakes >= requests, `${handshakes} handshakes of ${requests} requests`);
});

e2eTest('the root is replaced, old and new trusted for a while, and no request fails', async (t) => {
  const { secured, nextRoot } = t.context;
  const { root, authority } = secured;
  const [oldSerial, newSerial] = [serialOf(root.roots), serialOf(nextRoot.roots)];
  const { failures, during } = await underLoad(t.context, async () => {
    await authority.write({ roots: root.roots + nextRoot.roots });
    await eventuallyBoth(
      t.context,
      'both roots are trusted',
      ({ roots }) => roots.has(oldSerial) && roots.has(newSerial),
    );
    const before = await snapshot(t.context);
    await authority.write({ ...nextRoot, roots: nextRoot.roots + root.roots });
    await eventuallyBoth(t.context, 'the new root has signed', (now, index) => isRenewed(before[index], now));
    await authority.write({ roots: nextRoot.roots });
    await eventuallyBoth(
      t.context,
      'the old root is gone',
      ({ roots }) => !roots.has(oldSerial) && roots.has(newSerial),
    );
  });
  t.deepEqual(failures, []);
  t.true(during > CONCURRENCY, `${during} requests meanwhile`);
  await secured.mesh.assertNothingRejected();
});

/** Lifetime of authorities that expire during the test: long enough for clients to switch, on a slow machine too. */
const SHORT_LIFE_MS = 45_000;

e2eTest(
  'an expired CA stops new connections between workloads, and a valid one restores them without a restart',
  async (t) => {
    const { secured, client, nextRoot } = t.context;
    const { authority } = secured;
    const isLetIn = async (): Promise<boolean> => {
      const answer = await client.agent.request(`http://${SERVICE.clusterIP}:9000/`).catch(() => undefined);
      return answer?.status === 200;
    };
    t.true(await isLetIn());
    const ending = await selfSigned({ ttlMs: SHORT_LIFE_MS });
    await authority.write({ ...ending, roots: ending.roots + nextRoot.roots });
    await eventually('certificates have ended with the CA', async () => !(await isLetIn()), ROTATION);
    await authority.write(nextRoot);
    await eventually('workloads have certificates again', isLetIn, ROTATION);
    for (let count = 0; count < 20; count++) t.true(await isLetIn());
    await secured.mesh.assertNothingRejected();
  },
);
