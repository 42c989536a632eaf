/** How long a line waits for a reader that does not keep up, in milliseconds; the process waits with it. */
const PATIENCE_MS = 1000;
const WAIT_MS = 10;

export interface LineWriter {
  /** Writes the whole text, or loses it: never throws, never waits without limit. */
  write(text: string): void;
}

/**
 * Writes lines synchronously to something that may fail or be full.
 *
 * @param writeSome writes the beginning of some bytes, says how many it took, and throws the system's error
 */
export function createLineWriter(writeSome: (bytes: Buffer) => number): LineWriter {
  /** What is left of a line of which a part has been written: without it the next line would begin in its middle. */
  let rest: Buffer = Buffer.alloc(0);
  /** After one line was lost to a reader that stands still, the next do not wait for it. */
  let isStalled = false;

  /** @returns what could not be written. */
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

/** Holds the whole process up: a log line that is written later would be missing after a crash. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
