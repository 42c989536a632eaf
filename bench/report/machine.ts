import { availableParallelism, cpus } from 'node:os';

/** The machine of a run, for readers of its JSON. */
export function describeMachine() {
  return { processors: availableParallelism(), model: cpus()[0]?.model ?? '', node: process.versions.node };
}
