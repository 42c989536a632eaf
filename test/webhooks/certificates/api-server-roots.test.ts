import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { ApiAnswer } from '../../../src/kubernetes/client/api-sender.js';
import { createApiServerRoots } from '../../../src/webhooks/certificates/api-server-roots.js';
import { createTestAuthority } from '../../support/certificate-issuer.js';
import { eventually } from '../../support/eventually.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';

const clients = createTestAuthority('clients');
const proxies = createTestAuthority('front proxies');

function createRig(answer: () => ApiAnswer, file = '') {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const paths: string[] = [];
  const send = async ({ path }: { readonly path: string }): Promise<ApiAnswer> => {
    paths.push(path);
    return answer();
  };
  const roots = createApiServerRoots({ send, file, logger, clock });
  let changes = 0;
  roots.onChange(() => changes++);
  return { roots, clock, logger, paths, changes: () => changes };
}

const found = (data: object): ApiAnswer => ({ status: 200, body: { data }, retryAfterMs: undefined });
const refused: ApiAnswer = { status: 403, body: { message: 'configmaps is forbidden' }, retryAfterMs: undefined };
const trimmed = (pems: readonly string[]): readonly string[] => pems.map((pem) => pem.trim());

test('both root certificates of the cluster are read from its ConfigMap, without duplicates', async (t) => {
  const data = {
    'client-ca-file': clients.certificate,
    'requestheader-client-ca-file': `${proxies.certificate}\n${clients.certificate}`,
  };
  const { roots, paths, changes } = createRig(() => found(data));
  await roots.start();
  t.teardown(roots.stop);
  t.deepEqual(trimmed(roots.current()), trimmed([clients.certificate, proxies.certificate]));
  t.deepEqual(paths, ['/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication']);
  t.is(changes(), 1);
});

test('without the right to read the ConfigMap there are no roots, which is logged once and retried', async (t) => {
  let answer = refused;
  const { roots, clock, logger, paths } = createRig(() => answer);
  await roots.start();
  t.teardown(roots.stop);
  t.deepEqual(roots.current(), []);
  for (const count of [2, 3]) {
    await eventually('the next try is due', () => clock.timers === 1);
    if (count === 3) answer = found({ 'client-ca-file': clients.certificate });
    clock.advance(60_000);
    await eventually('it is tried again', () => paths.length === count);
  }
  await eventually('the roots are read', () => roots.current().length === 1);
  t.deepEqual(
    logger.records.map(({ level, message }) => [level, message]),
    [
      ['info', 'webhook client roots cannot be read, callers with certificates get no priority'],
      ['info', 'webhook client roots read'],
    ],
  );
});

test('after a failed read the last roots stay, and invalid certificates are left out', async (t) => {
  const broken = '-----BEGIN CERTIFICATE-----\nbm8=\n-----END CERTIFICATE-----';
  let answer = found({ 'client-ca-file': `${clients.certificate}\n${broken}` });
  const { roots, clock, paths } = createRig(() => answer);
  await roots.start();
  t.teardown(roots.stop);
  answer = refused;
  await eventually('the next look is due', () => clock.timers === 1);
  clock.advance(600_000);
  await eventually('it is looked at again', () => paths.length === 2);
  t.deepEqual(trimmed(roots.current()), trimmed([clients.certificate]));
});

test('a file replaces the ConfigMap', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-roots-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'ca.pem');
  await writeFile(file, proxies.certificate);
  const { roots, paths } = createRig(() => refused, file);
  await roots.start();
  t.teardown(roots.stop);
  t.deepEqual(trimmed(roots.current()), trimmed([proxies.certificate]));
  t.deepEqual(paths, []);
});
