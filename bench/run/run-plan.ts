import type { MeshChange } from '../mesh/mesh-change.js';
import type { ChangePhase, Phase, Step } from '../subject/subject.js';

/** The changes of each phase that makes some. */
export type PlannedChanges = Partial<Readonly<Record<ChangePhase, readonly MeshChange[]>>>;

/**
 * The steps of a run. First syncs come first, each on a fresh server; the changes are then made on the last one. A run
 * without the first-sync phase still makes one, for there is nothing to change for clients that have nothing.
 *
 * @param changes of each phase, at least `repeat`; those before the last `repeat` are its warm-up
 */
export function planSteps(phases: readonly Phase[], repeat: number, changes: PlannedChanges): readonly Step[] {
  const syncs = phases.includes('first-sync') ? repeat : 1;
  const steps: Step[] = Array.from({ length: syncs }, (_, index) => ({ phase: 'first-sync', repeat: index }));
  const changesOf = (phase: ChangePhase): readonly Step[] =>
    withWarmUp(changes[phase] ?? [], repeat).map(({ change, index }) =>
      index < 0 ? { phase, repeat: index, change, isWarmUp: true } : { phase, repeat: index, change },
    );
  for (const phase of ['endpoint', 'service', 'route'] as const) {
    if (phases.includes(phase)) steps.push(...changesOf(phase));
  }
  if (phases.includes('reconnect')) {
    steps.push(...Array.from({ length: repeat }, (_, index): Step => ({ phase: 'reconnect', repeat: index })));
  }
  if (phases.includes('storm')) steps.push(...changesOf('storm'));
  return steps;
}

/** Each change with its number; those of the warm-up have numbers below 0. */
function withWarmUp(changes: readonly MeshChange[], repeat: number) {
  const uncounted = Math.max(0, changes.length - repeat);
  return changes.map((change, index) => ({ change, index: index - uncounted }));
}
