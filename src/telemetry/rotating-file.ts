import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { LogSink } from './log-sink.js';

const MS_PER_DAY = 24 * 60 * 60 * 1000;

/** Limits of log rotation (docs/configuration.md#flags-of-every-command). */
export interface RotationLimits {
  /** The file is rotated before a line would exceed this size. An empty file is never rotated. */
  readonly maxBytes: number;
  /** Age in days at which the file is rotated and a backup is deleted; 0 means no limit. */
  readonly maxAgeDays: number;
  /** Number of newest backups that are kept; 0 means no limit. */
  readonly maxBackups: number;
}

/** Dependencies of a rotating file. */
export interface RotationEnvironment {
  now(): Date;
  /** Called for each failure to write or rotate. A failing log must not stop the process. */
  onError(error: unknown): void;
}

/**
 * A log file that is renamed to `<name>-<time><ext>` when it is too large or too old.
 *
 * Writes are synchronous, so the last lines before a crash are on disk. A line is never split over two files.
 *
 * @throws the error of the system if the file cannot be opened at the start
 */
export class RotatingFile implements LogSink {
  readonly colored = false;
  readonly #path: string;
  readonly #limits: RotationLimits;
  readonly #environment: RotationEnvironment;
  #open: { readonly descriptor: number; readonly sinceMs: number; bytes: number } | undefined;

  constructor(path: string, limits: RotationLimits, environment: RotationEnvironment) {
    this.#path = path;
    this.#limits = limits;
    this.#environment = environment;
    mkdirSync(dirname(path), { recursive: true });
    this.#open = this.#openFile();
    this.#prune();
  }

  write(text: string): void {
    const line = Buffer.from(text);
    try {
      if (this.#mustRotate(line.length)) {
        this.#rotate();
      }
      this.#open ??= this.#openFile();
      for (let written = 0; written < line.length; ) {
        written += writeSync(this.#open.descriptor, line, written);
      }
      this.#open.bytes += line.length;
    } catch (error) {
      this.#environment.onError(error);
    }
  }

  async close(): Promise<void> {
    this.#closeFile();
  }

  #mustRotate(bytes: number): boolean {
    const open = this.#open;
    if (open === undefined || open.bytes === 0) {
      return false;
    }
    const { maxBytes, maxAgeDays } = this.#limits;
    const ageMs = this.#environment.now().getTime() - open.sinceMs;
    return open.bytes + bytes > maxBytes || (maxAgeDays > 0 && ageMs > maxAgeDays * MS_PER_DAY);
  }

  /** If the file cannot be renamed, writing continues in it: too large a log is better than none. */
  #rotate(): void {
    this.#closeFile();
    try {
      renameSync(this.#path, this.#nextBackupPath());
    } catch (error) {
      this.#environment.onError(error);
    }
    this.#open = this.#openFile();
    this.#prune();
  }

  #openFile() {
    const descriptor = openSync(this.#path, 'a', 0o640);
    const { size, birthtimeMs } = fstatSync(descriptor);
    // The age of an empty file starts now; a continued file keeps its age.
    return { descriptor, bytes: size, sinceMs: size === 0 ? this.#environment.now().getTime() : birthtimeMs };
  }

  #closeFile(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open !== undefined) {
      closeSync(open.descriptor);
    }
  }

  /** Deletes backups beyond the limits. A failure leaves the backup and is reported. */
  #prune(): void {
    const { maxBackups, maxAgeDays } = this.#limits;
    const oldestMs = this.#environment.now().getTime() - maxAgeDays * MS_PER_DAY;
    try {
      const newestFirst = this.#listBackups().reverse();
      for (const [index, { path, rotatedMs }] of newestFirst.entries()) {
        if ((maxBackups > 0 && index >= maxBackups) || (maxAgeDays > 0 && rotatedMs < oldestMs)) {
          unlinkSync(path);
        }
      }
    } catch (error) {
      this.#environment.onError(error);
    }
  }

  /** Oldest first. The time is read from the name, because copying a folder changes the times of its files. */
  #listBackups(): { readonly path: string; readonly rotatedMs: number; readonly serial: number }[] {
    const { folder, stem, extension } = this.#nameParts();
    return readdirSync(folder)
      .filter((name) => name.startsWith(`${stem}-`) && name.endsWith(extension))
      .flatMap((name) => {
        const stamp = /^(\d{4}-\d{2}-\d{2}T\d{2})-(\d{2})-(\d{2}\.\d{3}Z)(?:\.(\d+))?$/.exec(
          name.slice(stem.length + 1, name.length - extension.length),
        );
        return stamp === null
          ? []
          : [
              {
                path: join(folder, name),
                rotatedMs: Date.parse(`${stamp[1]}:${stamp[2]}:${stamp[3]}`),
                serial: Number(stamp[4] ?? 0),
              },
            ];
      })
      .sort((a, b) => a.rotatedMs - b.rotatedMs || a.serial - b.serial);
  }

  /** Two rotations in the same millisecond get different names, so no backup is overwritten. */
  #nextBackupPath(): string {
    const { folder, stem, extension } = this.#nameParts();
    const time = this.#environment.now();
    const stamp = time.toISOString().replaceAll(':', '-');
    const last = this.#listBackups().findLast(({ rotatedMs }) => rotatedMs === time.getTime());
    const serial = last === undefined ? '' : `.${last.serial + 1}`;
    return join(folder, `${stem}-${stamp}${serial}${extension}`);
  }

  #nameParts(): { readonly folder: string; readonly stem: string; readonly extension: string } {
    const extension = extname(this.#path);
    return { folder: dirname(this.#path), stem: basename(this.#path, extension), extension };
  }
}
