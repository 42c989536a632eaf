import test from 'ava';
import { createKindRegistry } from '../../src/config/kinds.js';
import type { CheckedCluster } from '../../src/inspect/check/check-cluster.js';
import { checkWebhooks, MUTATING } from '../../src/inspect/check/check-webhooks.js';
import { createTestAuthority } from '../support/certificate-issuer.js';

const ENTRY = 'sidecar-injector.mesh.internal';
const NOW = new Date();
const roots = Buffer.from(createTestAuthority('root').certificate).toString('base64');

const configuration = (name: string, caBundles: readonly string[], namespace = 'mesh-system', entry = ENTRY) => ({
  metadata: { name },
  webhooks: caBundles.map((caBundle, index) => ({
    name: index === 0 ? entry : `pod.${entry}`,
    clientConfig: { caBundle, service: { name: 'meshd', namespace } },
  })),
});

/** A cluster with these configurations. */
function cluster(items: readonly ReturnType<typeof configuration>[], mayList = true): CheckedCluster {
  return {
    name: 'api',
    namespace: 'mesh-system',
    serviceAccount: 'meshd',
    webhooks: { validating: '', mutating: '' },
    kinds: createKindRegistry('mesh.internal'),
    send: async ({ path }) => {
      if (path.endsWith('configurations')) {
        return mayList ? { status: 200, body: { items } } : { status: 403, body: { message: 'forbidden' } };
      }
      const body = items.find(({ metadata: { name } }) => path.endsWith(`/${name}`));
      return body === undefined ? { status: 404, body: {} } : { status: 200, body };
    },
  } as CheckedCluster;
}

const outcomesOf = async (checked: CheckedCluster, now = NOW) =>
  (await checkWebhooks(checked, MUTATING, 'injector', now)).map(({ level, message }) => `${level} ${message}`);

test('check looks at the webhooks of every revision in the namespace, and of no other control plane', async (t) => {
  const checked = cluster([
    configuration('injector', [roots, roots]),
    configuration('injector-canary', [roots, '']),
    configuration('of-another-namespace', [''], 'elsewhere'),
    configuration('of-another-product', [''], 'mesh-system', 'inject.example.com'),
  ]);
  t.deepEqual(await outcomesOf(checked), [
    'ok injector: API servers can verify the control plane',
    'error injector-canary: API servers cannot verify the control plane: caBundle is empty',
  ]);
  const later = new Date(NOW.getTime() + 20 * 365 * 86_400_000);
  t.regex((await outcomesOf(checked, later))[0] ?? '', /^error injector: the certificate in caBundle has expired/);
});

test('check names a missing webhook configuration, and looks at one by name for a user who may not list them', async (t) => {
  t.deepEqual(await outcomesOf(cluster([configuration('injector-canary', [roots])])), [
    'warning injector: there is no such webhook configuration: only pods with the label of a revision get a sidecar',
    'ok injector-canary: API servers can verify the control plane',
  ]);
  t.deepEqual(await outcomesOf(cluster([configuration('injector', [roots])], false)), [
    'ok injector: API servers can verify the control plane',
  ]);
  t.regex((await outcomesOf(cluster([], false)))[0] ?? '', /^warning injector: there is no such/);
});
