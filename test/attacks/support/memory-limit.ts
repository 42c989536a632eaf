import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';

/** A control group with a memory limit. The kernel kills a process in it that goes beyond the limit. */
export interface MemoryGroup {
  /** The command, started inside the group. */
  enter(command: readonly string[]): readonly string[];
  /** Removes the group; its processes have ended. */
  remove(): void;
}

/**
 * Makes a control group, of version 2 or 1, whichever the machine has.
 *
 * @returns undefined where this user may not make one; the peak of resident memory is then checked by sampling alone
 */
export function createMemoryGroup(name: string, limitBytes: number): MemoryGroup | undefined {
  const isUnified = existsSync(join(ROOT, 'cgroup.controllers'));
  const folder = isUnified ? join(ROOT, name) : join(ROOT, 'memory', name);
  try {
    if (isUnified && !readFileSync(join(ROOT, 'cgroup.subtree_control'), 'utf8').includes('memory')) {
      writeFileSync(join(ROOT, 'cgroup.subtree_control'), '+memory');
    }
    mkdirSync(folder);
    writeFileSync(join(folder, isUnified ? 'memory.max' : 'memory.limit_in_bytes'), String(limitBytes));
  } catch {
    return undefined;
  }
  return {
    enter: (command) => ['sh', '-c', `echo $$ > ${join(folder, 'cgroup.procs')} && exec "$@"`, 'sh', ...command],
    remove: () => {
      try {
        rmdirSync(folder);
      } catch {
        // The kernel lets go of the last process a moment after its end; an empty group does no harm.
      }
    },
  };
}
