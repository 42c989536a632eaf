import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Frees what nobody holds, now; to be called again after a turn of the event loop for what was looked at in this one. */
export function collectGarbage(): void {
  collect();
}
