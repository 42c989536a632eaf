import type { FleetProgress } from '../client/fleet.js';

const MEBIBYTE = 1024 * 1024;
const REDRAW_MS = 100;
const CLEAR_LINE = '\r\u001B[K';

/** The part of a terminal that the progress line needs. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  /** 0 or undefined when the terminal does not say. */
  readonly columns?: number;
  write(text: string): unknown;
}

/** One line on a terminal that shows the current wait; silent if the output is not a terminal. */
export class ProgressLine {
  readonly #output: ProgressOutput;
  readonly #nowMs: () => number;
  #drawnAtMs = Number.NEGATIVE_INFINITY;
  #drawn = '';

  constructor(output: ProgressOutput, nowMs: () => number) {
    this.#output = output;
    this.#nowMs = nowMs;
  }

  update(what: string, progress: FleetProgress | undefined): void {
    if (this.#output.isTTY !== true) return;
    const isNew = !this.#drawn.startsWith(what);
    if (!isNew && this.#nowMs() - this.#drawnAtMs < REDRAW_MS) return;
    this.#drawnAtMs = this.#nowMs();
    this.#drawn = what;
    const counts =
      progress === undefined
        ? ''
        : `  ${progress.completed}/${progress.clients} clients  ${(progress.receivedBytes / MEBIBYTE).toFixed(1)} MiB`;
    this.#output.write(`${CLEAR_LINE}${`${what} …${counts}`.slice(0, (this.#output.columns || 80) - 1)}`);
  }

  clear(): void {
    if (this.#drawn !== '') this.#output.write(CLEAR_LINE);
    this.#drawn = '';
  }
}
