import { readFileSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Clock } from '../../base/clock.js';
import { errorText } from '../../base/error-text.js';

/** Files of the keys that quotas are for. */
export interface KeyFiles {
  /** @throws Error that names the file, when it cannot be read */
  read(file: string): string;
  /** Looks from now on whether files that were read have changed. */
  start(): void;
  stop(): void;
}

const LOOK_MS = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

interface FileFacts {
  readonly mtimeMs: number;
  readonly size: number;
  readonly ino: number;
}

/** @param onChange called when a file has changed, appeared or disappeared */
export function createKeyFiles(clock: Clock, onChange: () => void): KeyFiles {
  const known = new Map<string, string>();
  let cancel = (): void => undefined;
  let isStopped = false;

  const look = async (): Promise<void> => {
    let isChanged = false;
    for (const [file, identity] of known) {
      const found = await stat(file).then(identityOf, () => '');
      if (found === identity) continue;
      // Called once for each change, also for a file that cannot be read.
      known.set(file, found);
      isChanged = true;
    }
    if (isStopped) return;
    if (isChanged) onChange();
    schedule();
  };
  const schedule = (): void => {
    cancel = clock.schedule(LOOK_MS, () => void look());
  };

  return {
    read: (file) => {
      try {
        const facts = statSync(file);
        if (facts.size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
        known.set(file, identityOf(facts));
        return readFileSync(file, 'utf8');
      } catch (cause) {
        const reason = errorText(cause);
        throw new Error(`keys.file: ${JSON.stringify(file)}: cannot be read: ${reason}`, { cause });
      }
    },
    start: schedule,
    stop: () => {
      isStopped = true;
      cancel();
    },
  };
}

function identityOf({ mtimeMs, size, ino }: FileFacts): string {
  return `${mtimeMs} ${size} ${ino}`;
}
