import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Runs the garbage collector. Objects that were read in this turn of the event loop are freed in a later turn. */
export function collectGarbage(): void {
  collect();
}
