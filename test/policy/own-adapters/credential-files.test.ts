import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { createCredentialReader } from '../../../src/policy/own-adapters/connection/credential-files.js';

const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
mkdirSync(join(folder, 'shop'));
mkdirSync(join(folder, 'shop-evil'));
writeFileSync(join(folder, 'shop/token'), 'own');
writeFileSync(join(folder, 'shop-evil/token'), 'other');
writeFileSync(join(folder, 'server-token'), 'secret');
symlinkSync('token', join(folder, 'shop/link'));
test.after.always(() => rmSync(folder, { recursive: true }));

const ofTenant = createCredentialReader({ isOfOperator: false, folder, namespace: 'shop' });
const ofOperator = createCredentialReader({ isOfOperator: true, folder, namespace: 'mesh-system' });

test('handlers of a tenant may name files of the folder of their namespace only', async (t) => {
  t.is(await ofTenant(join(folder, 'shop/token')), 'own');
  t.is(await ofTenant(join(folder, 'shop/link')), 'own', 'mounted files are links');
  for (const file of [
    join(folder, 'server-token'),
    join(folder, 'shop/../server-token'),
    join(folder, 'shop-evil/token'),
    join(folder, 'shop'),
    '/var/run/secrets/kubernetes.io/serviceaccount/token',
  ]) {
    await t.throwsAsync(
      ofTenant(file),
      { message: /handlers of the namespace shop may name files below .*shop\/ only$/ },
      file,
    );
  }
});

test('handlers of the operator may name any file that is one, and has an end', async (t) => {
  t.is(await ofOperator(join(folder, 'server-token')), 'secret');
  await t.throwsAsync(ofOperator('/dev/zero'), { message: '"/dev/zero" cannot be read: it is not a regular file' });
  writeFileSync(join(folder, 'large'), Buffer.alloc(256 * 1024 + 1));
  await t.throwsAsync(ofOperator(join(folder, 'large')), { message: /it has more than 262144 bytes$/ });
  await t.throwsAsync(ofOperator(join(folder, 'none')), { message: /^".*none" cannot be read: ENOENT/ });
});
