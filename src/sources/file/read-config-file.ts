import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';

/** What is read of a file of the folder. */
export interface ConfigFileOptions {
  /** The folder without links: what the file resolves to must be in it. */
  readonly realRoot: string;
  /** As far as it was looked at before. */
  readonly size: number;
  readonly maxBytes: number;
}

/** A file that is there and is not read on purpose. */
export class RefusedFileError extends Error {
  override readonly name = 'RefusedFileError';
}

/** Read without waiting: for a small file a promise costs ten times as much as the read. */
const SMALL_FILE_BYTES = 64 * 1024;

/** A FIFO without a writer, and some devices, hold up whoever opens them, but for this flag. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Reads a file of a configuration folder. What was opened is checked, not its name: a link may be another one by then.
 *
 * @throws RefusedFileError for what is no regular file, is outside of the folder, or is too large
 * @throws the system's error where it cannot be read
 */
export async function readConfigFile(file: string, options: ConfigFileOptions): Promise<string> {
  if (options.size <= SMALL_FILE_BYTES) return readNow(file, options);
  const handle = await open(file, OPEN_FLAGS);
  try {
    const { size } = requireReadable(handle.fd, file, options);
    const buffer = Buffer.alloc(size);
    let filled = 0;
    while (filled < size) {
      const { bytesRead } = await handle.read(buffer, filled, size - filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.toString('utf8', 0, filled);
  } finally {
    await handle.close();
  }
}

function readNow(file: string, options: ConfigFileOptions): string {
  const descriptor = openSync(file, OPEN_FLAGS);
  try {
    requireReadable(descriptor, file, options);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function requireReadable(descriptor: number, file: string, { realRoot, maxBytes }: ConfigFileOptions): Stats {
  const stats = fstatSync(descriptor);
  if (!stats.isFile()) throw new RefusedFileError(NOT_REGULAR);
  const real = realPathOf(descriptor, stats, file);
  if (real === undefined || !isInside(realRoot, real)) throw new RefusedFileError(OUTSIDE);
  if (stats.size > maxBytes) throw new RefusedFileError(tooLarge(maxBytes));
  return stats;
}

/** The path of what is open; undefined where it cannot be told. */
function realPathOf(descriptor: number, stats: Stats, file: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    // Without /proc: the name leads where it led when it was opened.
    const real = realpathSync(file);
    const there = statSync(real);
    return there.dev === stats.dev && there.ino === stats.ino ? real : undefined;
  }
}

export function isInside(realRoot: string, real: string): boolean {
  return real === realRoot || real.startsWith(realRoot.endsWith(path.sep) ? realRoot : realRoot + path.sep);
}

export const NOT_REGULAR = 'is not a regular file, and is not read; remove it';
export const OUTSIDE =
  'is a link that leads out of the configuration folder, and is not followed; copy what it leads to into the folder';

function tooLarge(maxBytes: number): string {
  return `is larger than ${maxBytes} bytes; split it`;
}
