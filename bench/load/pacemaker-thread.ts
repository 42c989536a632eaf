import { parentPort } from 'node:worker_threads';

/** Nobody changes it: waiting for it is sleeping, with fractions of a millisecond. */
const cell = new Int32Array(new SharedArrayBuffer(4));

parentPort?.on('message', (waitMs: number) => {
  Atomics.wait(cell, 0, 0, waitMs);
  parentPort?.postMessage(undefined);
});
