import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'ava';
import { systemClock } from '../../../src/base/clock.js';
import type { CredentialReader } from '../../../src/model/gateways/credential.js';
import { createFolderCredentials } from '../../../src/sources/credentials/folder-credentials.js';
import { createTestAuthority, type TestCertificate } from '../../support/certificate-issuer.js';
import { eventually } from '../../support/eventually.js';
import { createRecordingLogger } from '../../support/recording-logger.js';

test('the files of a namespace are read when a router asks, and again when they change', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'credentials-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const authority = createTestAuthority('root');
  const write = async (namespace: string, { certificate, key }: TestCertificate): Promise<void> => {
    const place = path.join(folder, namespace, 'shop');
    await mkdir(place, { recursive: true });
    await writeFile(path.join(place, 'tls.crt'), certificate);
    await writeFile(path.join(place, 'tls.key'), key);
  };
  const [first, second, foreign] = [1, 2, 3].map(() => authority.issue({ dnsNames: ['shop.example.com'] }));
  if (first === undefined || second === undefined || foreign === undefined) throw new Error('no certificates');
  await write('other', foreign);
  const logger = createRecordingLogger();
  const store = createFolderCredentials({ folder, clock: systemClock, logger });
  t.teardown(() => store.stop());
  let changes = 0;
  const reader = store.open('edge', () => changes++);
  const chainOf = (from: CredentialReader): string => {
    const state = from.read('shop', 'certificate');
    return state.type === 'certificate' ? state.chain : state.type;
  };
  t.is(chainOf(reader), 'loading');
  await eventually('the credential is looked for', () => chainOf(reader) === 'unusable');
  await write('edge', first);
  await eventually('the first certificate is read', () => chainOf(reader) === first.certificate);
  await write('edge', second);
  await eventually('the second certificate is read', () => chainOf(reader) === second.certificate);
  t.true(changes >= 3);
  reader.close();
});
