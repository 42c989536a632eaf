import { readFileSync } from 'node:fs';
import { startManagedProcess } from '../../counterparts/managed-process.js';
import { eventually } from '../../support/eventually.js';
import type { UnpackedImage } from './unpack-image.js';

/** Namespaces for the programs of an image, as a container engine makes them. */
export interface Container {
  /** A command line that runs a program of the image, with the environment of the image alone. */
  enter(command: readonly string[], user?: string): readonly string[];
  /** Ends all programs in it. */
  close(): Promise<void>;
}

/** The file system cannot be written, as with `readOnlyRootFilesystem`, except /tmp. */
const PREPARE = `
ip link set lo up
mount --bind "$0" "$0"
mount --rbind /dev "$0/dev"
mount -t proc proc "$0/proc"
mount -t tmpfs tmp "$0/tmp"
mount -o remount,bind,ro "$0"
echo up
exec sleep infinity`;

/** The only child of a process, by its number. */
export function childOf(pid: number | undefined): number {
  return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), 10);
}

/** Makes the namespaces: network with loopback alone, mounts, and processes. Needs root. */
export async function createContainer({ root, config }: UnpackedImage): Promise<Container> {
  // With the first process of a PID namespace, the kernel ends all others.
  const holder = startManagedProcess({
    name: 'container',
    command: [
      ...['setpriv', '--pdeathsig', 'KILL', 'unshare', '--net', '--mount', '--pid', '--fork', '--kill-child'],
      ...['sh', '-ec', PREPARE, root],
    ],
  });
  await eventually('the container is there', () => {
    if (!holder.isRunning()) throw new Error(holder.tail());
    return holder.lines.includes('up');
  });
  const first = childOf(holder.child.pid);
  return {
    enter: (command, user = config.User) => [
      ...['nsenter', '-t', String(first), '--net', '--mount', '--pid', '--', 'env', '-i', ...config.Env],
      ...['chroot', `--userspec=${user}`, '--groups=', root, ...command],
    ],
    close: () => holder.stop('SIGKILL'),
  };
}
