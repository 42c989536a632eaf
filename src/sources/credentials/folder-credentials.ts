import { type FSWatcher, watch } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../base/clock.js';
import type { CredentialStore } from '../../model/gateways/credential.js';
import type { Logger } from '../../telemetry/logger.js';
import { createCredentialTable } from './credential-table.js';
import { CREDENTIAL_KEYS, type CredentialTexts } from './parse-credential.js';

export interface FolderCredentialsOptions {
  /** NAV_CREDENTIALS_DIR: has the files of a credential in `<namespace>/<credentialName>/`. */
  readonly folder: string;
  readonly clock: Clock;
  /** Scope `secretfetcher`. */
  readonly logger: Logger;
}

/** Time between two looks at the files of a namespace, beside those that the file system causes; milliseconds. */
const RESCAN_MS = 5_000;
const DEBOUNCE_MS = 100;
/** As large as a Secret of Kubernetes. */
const MAX_BYTES = 1024 * 1024;

/**
 * The credentials in files, for a control plane without a cluster. The files of a namespace are read while a router of it
 * is connected, and again when they change.
 */
export function createFolderCredentials({ folder, clock, logger }: FolderCredentialsOptions): CredentialStore {
  const open = new Set<() => void>();
  return {
    open: (namespace, onChange) => {
      const place = path.join(folder, namespace);
      const table = createCredentialTable((secret, reason) => {
        logger.warn({ namespace, secret, reason }, 'changed gateway credential is unusable, its last state stays');
      });
      /** By name of the secret; undefined where it has no files. */
      const secrets = new Map<string, CredentialTexts | undefined>();
      let isClosed = false;
      let watcher: FSWatcher | undefined;
      let cancel = (): void => undefined;

      const look = async (): Promise<void> => {
        watchFolder();
        let isChanged = false;
        for (const [secret, known] of [...secrets]) {
          const found = await readTexts(path.join(place, secret));
          if (CREDENTIAL_KEYS.every((key) => found?.[key] === known?.[key])) continue;
          secrets.set(secret, found);
          isChanged = true;
        }
        if (isClosed) return;
        if (isChanged) onChange();
        schedule(RESCAN_MS);
      };
      const schedule = (afterMs: number): void => {
        cancel();
        if (!isClosed) cancel = clock.schedule(afterMs, () => void look());
      };
      const watchFolder = (): void => {
        if (watcher !== undefined || isClosed) return;
        try {
          watcher = watch(place, { persistent: false, recursive: true }, () => schedule(DEBOUNCE_MS));
          watcher.on('error', () => {
            watcher?.close();
            watcher = undefined;
          });
        } catch {
          // The folder does not exist, or the system has no watch left: the next look finds changes.
        }
      };
      const loading = new Set<string>();
      /** Reads the files of a secret that is asked for the first time. */
      const load = async (secret: string): Promise<void> => {
        loading.add(secret);
        const found = await readTexts(path.join(place, secret));
        secrets.set(secret, found);
        loading.delete(secret);
        if (!isClosed) onChange();
      };
      const close = (): void => {
        isClosed = true;
        cancel();
        watcher?.close();
        open.delete(close);
      };
      open.add(close);
      schedule(RESCAN_MS);
      watchFolder();
      return {
        read: (credentialName, part) => {
          const needed = part === 'roots' ? [credentialName, `${credentialName}-cacert`] : [credentialName];
          for (const secret of needed) if (!secrets.has(secret) && !loading.has(secret)) void load(secret);
          if (needed.some((secret) => !secrets.has(secret))) return { type: 'loading' };
          return table.read(credentialName, part, (secret) => secrets.get(secret));
        },
        staleReasonOf: (credentialName, part) => table.staleReasonOf(credentialName, part),
        close,
      };
    },
    stop: async () => {
      for (const close of [...open]) close();
    },
  };
}

async function readTexts(folder: string): Promise<CredentialTexts | undefined> {
  const texts: Record<string, string> = {};
  for (const key of CREDENTIAL_KEYS) {
    const file = path.join(folder, key);
    try {
      const { size } = await stat(file);
      if (size <= MAX_BYTES) texts[key] = await readFile(file, 'utf8');
    } catch {
      // The next look may find it.
    }
  }
  return Object.keys(texts).length === 0 ? undefined : texts;
}
