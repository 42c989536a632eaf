/**
 * Loaded into the server's process by `--import`, with `--expose-gc`: collects all garbage for each connection to a
 * local socket, and answers with what is left as JSON. The server's own code knows nothing of it.
 */
import { createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** What finalizers release is collected by the next collection. */
const COLLECTIONS = 4;

const socketPath = process.env['BENCH_HEAP_PROBE'];
const collectGarbage = globalThis.gc;
if (socketPath === undefined || collectGarbage === undefined) {
  throw new Error('bench/soak/heap-probe.js needs BENCH_HEAP_PROBE and --expose-gc.');
}

createServer((connection) => {
  const answer = async (): Promise<void> => {
    for (let count = 0; count < COLLECTIONS; count += 1) {
      collectGarbage();
      await nextTurn();
    }
    const { heapUsed, external } = process.memoryUsage();
    connection.end(JSON.stringify({ heapBytes: heapUsed, externalBytes: external }));
  };
  connection.on('error', () => undefined);
  void answer();
})
  .listen(socketPath)
  .unref();
