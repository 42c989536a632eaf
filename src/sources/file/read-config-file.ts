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

/** Where to read a file of the folder. */
export interface ConfigFileOptions {
  /** The folder with all links resolved. The file must be inside of it. */
  readonly realRoot: string;
  /** Facts about the file, if it was looked at before. */
  readonly size: number;
  readonly maxBytes: number;
}

/** The file exists, and must not be read. */
export class RefusedFileError extends Error {
  override readonly name = 'RefusedFileError';
}

/** A small file is read synchronously: a promise costs ten times as much as the read. */
const SMALL_FILE_BYTES = 64 * 1024;

/** Without this flag, opening a FIFO without a writer, or some devices, never returns. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Reads a file of a configuration folder. The open file is checked, not its name: a link can change after the check.
 *
 * @throws RefusedFileError when it is not a regular file, is outside of the folder, or is too large
 * @throws the system's error when it cannot be read
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

/** The path of the open file; undefined when the system does not tell it. */
function realPathOf(descriptor: number, stats: Stats, file: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    // Without /proc, the name is resolved again.
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
