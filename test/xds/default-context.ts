import type { PushContext } from '../../src/model/push-context.js';

/** A snapshot of an empty mesh, for rooms that never look into one. */
export function createDefaultContext(sequence: number): PushContext {
  return {
    sequence,
    version: `v${sequence}`,
    mesh: { onDemand: false },
    objects: new Map(),
    findings: [],
  } as unknown as PushContext;
}
