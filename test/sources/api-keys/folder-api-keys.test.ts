import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'ava';
import type { ApiKeySecrets } from '../../../src/model/policy/plans/api-key-secrets.js';
import { createFolderApiKeys } from '../../../src/sources/api-keys/folder-api-keys.js';
import { eventually } from '../../support/eventually.js';
import { createFakeClock } from '../../support/fake-clock.js';

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

test('the files of a Secret are read as its entries, and again when they change', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'api-keys-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const write = async (entry: string, text: string): Promise<void> => {
    await mkdir(path.join(folder, 'shop/acme'), { recursive: true });
    await writeFile(path.join(folder, 'shop/acme', entry), text);
  };
  const clock = createFakeClock();
  let secrets: ApiKeySecrets = new Map();
  const onKeys = (next: ApiKeySecrets): void => {
    secrets = next;
  };
  const source = createFolderApiKeys({ folder, clock, onKeys });
  t.teardown(() => source.stop());
  source.follow(new Map([['shop', new Set(['acme'])]]));
  const state = () => secrets.get('shop/acme');
  const until = (what: string, holds: () => boolean) =>
    eventually(what, () => {
      clock.advance(2000);
      return holds();
    });
  await source.readAll(5000);
  const missing = state();
  t.regex(missing?.type === 'unusable' ? missing.reason : '', /^there is no folder .*shop\/acme$/);
  await write('first', 'k1\n');
  await until('the key is read', () => state()?.type === 'keys');
  await write('second', 'k2\nk3\n');
  await until('the second entry is read', () => {
    const now = state();
    return now?.type === 'keys' && now.entries.get('second')?.length === 2;
  });
  t.deepEqual(state(), {
    type: 'keys',
    entries: new Map([
      ['first', [hashOf('k1')]],
      ['second', [hashOf('k2'), hashOf('k3')]],
    ]),
  });
  await write('third', 'x'.repeat(2 * 1024 * 1024));
  await until('a large file is refused', () => state()?.type === 'unusable');
});
