import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../base/clock.js';
import { settledWithin } from '../../base/settled-within.js';
import type { ApiKeySecret } from '../../model/policy/plans/api-key-secrets.js';
import type { NeededSecrets } from '../../model/policy/plans/consumer-secrets.js';
import { type ApiKeySource, createApiKeyTable, type OnApiKeys } from './api-key-source.js';
import { readApiKeys, unusable } from './read-api-keys.js';

export interface FolderApiKeysOptions {
  /** NAV_CREDENTIALS_DIR: has the entries of a Secret as files in `<namespace>/<name>/`. */
  readonly folder: string;
  readonly onKeys: OnApiKeys;
  readonly clock: Clock;
}

/** Time between two looks at the files, in milliseconds. */
const LOOK_MS = 2000;
/** As large as a Secret of Kubernetes. */
const MAX_BYTES = 1024 * 1024;
const MAX_FILES = 100;

/** The API keys in files, for a control plane without a cluster. Changed files are read within seconds. */
export function createFolderApiKeys({ folder, onKeys, clock }: FolderApiKeysOptions): ApiKeySource {
  const table = createApiKeyTable(onKeys);
  /** What the files of each Secret were when they were read. */
  const identities = new Map<string, string>();
  let needed: NeededSecrets = new Map();
  let cancel = (): void => undefined;
  let isStopped = false;
  let looking: Promise<void> = Promise.resolve();

  const lookAt = async (namespace: string, name: string): Promise<void> => {
    const place = path.join(folder, namespace, name);
    const files = await filesOf(place);
    const identity = JSON.stringify(files ?? 'missing');
    if (identities.get(place) === identity) return;
    const state = files === undefined ? missing(place) : await readFiles(place, files);
    identities.set(place, identity);
    if (!isStopped && needed.get(namespace)?.has(name)) table.set(namespace, new Map([[name, state]]));
  };
  const look = async (): Promise<void> => {
    cancel();
    for (const [namespace, names] of needed) for (const name of names) await lookAt(namespace, name);
    if (!isStopped && needed.size > 0) cancel = clock.schedule(LOOK_MS, lookSoon);
  };
  const lookSoon = (): void => {
    looking = looking.then(look);
  };

  return {
    follow: (next) => {
      if (isSame(needed, next)) return;
      needed = next;
      table.keepOnly(needed);
      identities.clear();
      lookSoon();
    },
    readAll: (withinMs) => settledWithin(looking, withinMs, clock),
    stop: async () => {
      isStopped = true;
      cancel();
      await looking;
    },
  };
}

function isSame(one: NeededSecrets, other: NeededSecrets): boolean {
  const textOf = (needed: NeededSecrets): string =>
    JSON.stringify([...needed].map(([namespace, names]) => [namespace, [...names].sort()]).sort());
  return textOf(one) === textOf(other);
}

function missing(place: string): ApiKeySecret {
  return unusable(`there is no folder ${place}`, 'create it with a file of keys');
}

type FileIdentity = readonly [name: string, mtimeMs: number, size: number, ino: number];

/** Undefined without a folder. A mounted Secret has its entries as links, beside folders that begin with two dots. */
async function filesOf(place: string): Promise<readonly FileIdentity[] | undefined> {
  try {
    const names = (await readdir(place)).filter((name) => !name.startsWith('..')).sort();
    const found: FileIdentity[] = [];
    for (const name of names.slice(0, MAX_FILES)) {
      const facts = await stat(path.join(place, name));
      if (facts.isFile()) found.push([name, facts.mtimeMs, facts.size, facts.ino]);
    }
    return found;
  } catch {
    return undefined;
  }
}

async function readFiles(place: string, files: readonly FileIdentity[]): Promise<ApiKeySecret> {
  const texts = new Map<string, string>();
  for (const [name, , size] of files) {
    if (size > MAX_BYTES) return unusable(`its file ${name} has more than ${MAX_BYTES} bytes`);
    try {
      texts.set(name, await readFile(path.join(place, name), 'utf8'));
    } catch {
      return unusable(`its file ${name} cannot be read`);
    }
  }
  return readApiKeys(texts);
}
