import v8 from 'node:v8';

/** V8's own: bytes of bytecode that a function runs before its optimization is considered (Node 20 to 24). */
const BUDGET_BYTES = 66 * 1024;
const START_FACTOR = 4;
/** Reading a cluster and the first sync of its proxies take some seconds. */
const START_MS = 10_000;

/**
 * Lets V8 optimize only the hottest functions until the first proxies are served. A starting server runs most of its
 * code a few times, and proxies connect while V8 optimizes it: the compiler's threads then take a third of the processor
 * time of a first sync, from the very cores that proxies are served on. To be called before the server is loaded.
 */
export function tuneCompiler(): void {
  v8.setFlagsFromString(`--interrupt-budget=${BUDGET_BYTES * START_FACTOR}`);
  setTimeout(() => v8.setFlagsFromString(`--interrupt-budget=${BUDGET_BYTES}`), START_MS).unref();
}
