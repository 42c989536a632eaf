import type { JudgedCondition } from './condition.js';
import type { ObjectFacts } from './object-facts.js';
import { REASONS } from './reasons.js';
import { joinSentences, listed } from './texts.js';

/**
 * The condition `Accepted`: whether the object is valid. Undefined until the control plane has read this generation.
 */
export function acceptedOf({ generation, servedGeneration, refusals }: ObjectFacts): JudgedCondition | undefined {
  if (refusals.length > 0) {
    const found = listed(refusals.map(({ reason }) => reason));
    const served =
      servedGeneration === undefined
        ? 'No earlier state is in force'
        : servedGeneration === generation
          ? 'Its last good state stays in force'
          : `Its last good state, generation ${servedGeneration}, stays in force`;
    return { type: 'Accepted', status: 'False', reason: REASONS.invalid, message: joinSentences(found, served) };
  }
  if (servedGeneration !== generation) return undefined;
  return { type: 'Accepted', status: 'True', reason: REASONS.valid, message: 'It is valid.' };
}
