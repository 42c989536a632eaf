/** How long the process waits for a slow reader of the log, in milliseconds. */
const PATIENCE_MS = 1000;
const WAIT_MS = 10;

export interface LineWriter {
  /** Writes the whole text or drops it. Never throws, never waits without limit. */
  write(text: string): void;
}

/**
 * Writes lines synchronously to a target that can fail or be full.
 *
 * @param writeSome writes a first part of the bytes and returns its length; throws the error of the system
 */
export function createLineWriter(writeSome: (bytes: Buffer) => number): LineWriter {
  /** The rest of a partly written line. Without it, the next line would begin in the middle of this one. */
  let rest: Buffer = Buffer.alloc(0);
  /** After a line was dropped because of a slow reader, the next lines do not wait. */
  let isStalled = false;

  /** @returns the bytes that could not be written */
  const writeAll = (bytes: Buffer): Buffer => {
    let left = bytes;
    let waitedMs = isStalled ? PATIENCE_MS : 0;
    while (left.length > 0) {
      try {
        left = left.subarray(writeSome(left));
        isStalled = false;
      } catch (error) {
        if (!isBusy(error) || waitedMs >= PATIENCE_MS) {
          isStalled = isBusy(error);
          return left;
        }
        waitedMs += WAIT_MS;
        pause(WAIT_MS);
      }
    }
    return left;
  };

  return {
    write: (text) => {
      rest = writeAll(rest);
      if (rest.length > 0) return;
      const line = Buffer.from(text);
      const left = writeAll(line);
      if (left.length < line.length) rest = left;
    },
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EBUSY');
}

/** Blocks the process: a line that is written later would be missing after a crash. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
