import v8 from 'node:v8';

/** V8's default: bytes of bytecode that a function runs before V8 considers to optimize it (Node 20 to 23). */
const BUDGET_BYTES = 66 * 1024;
const START_FACTOR = 4;
/** Since V8 13 (Node 24), invocations of a function count, not bytes; the budget is an unknown flag there. */
const V8_WITHOUT_BUDGET = 13;
/** Reading a cluster and the first sync of its proxies take several seconds. */
const START_MS = 10_000;

/**
 * Lets V8 optimize only the hottest functions during the first sync of proxies. A starting server runs most of its code a
 * few times. Optimizing it would take a third of the processor time of the first sync. Call it before the server is loaded.
 */
export function tuneCompiler(): void {
  if (Number.parseInt(process.versions.v8, 10) >= V8_WITHOUT_BUDGET) return;
  v8.setFlagsFromString(`--interrupt-budget=${BUDGET_BYTES * START_FACTOR}`);
  setTimeout(() => v8.setFlagsFromString(`--interrupt-budget=${BUDGET_BYTES}`), START_MS).unref();
}
