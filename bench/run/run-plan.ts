import type { MeshChange } from '../mesh/mesh-change.js';
import type { ChangePhase, Phase, Step } from '../subject/subject.js';

/** The changes of each phase that makes some. */
export type PlannedChanges = Partial<Readonly<Record<ChangePhase, readonly MeshChange[]>>>;

/**
 * The steps of a run. First syncs come first, each on a fresh server; the changes are then made on the last one. A run
 * without the first-sync phase still makes one, for there is nothing to change for clients that have nothing.
 */
export function planSteps(phases: readonly Phase[], repeat: number, changes: PlannedChanges): readonly Step[] {
  const syncs = phases.includes('first-sync') ? repeat : 1;
  const steps: Step[] = Array.from({ length: syncs }, (_, index) => ({ phase: 'first-sync', repeat: index }));
  const changesOf = (phase: ChangePhase): readonly Step[] =>
    (changes[phase] ?? []).slice(0, repeat).map((change, index) => ({ phase, repeat: index, change }));
  for (const phase of ['endpoint', 'service', 'route'] as const) {
    if (phases.includes(phase)) steps.push(...changesOf(phase));
  }
  if (phases.includes('reconnect')) {
    steps.push(...Array.from({ length: repeat }, (_, index): Step => ({ phase: 'reconnect', repeat: index })));
  }
  if (phases.includes('storm')) steps.push(...changesOf('storm'));
  return steps;
}
