import { spawnSync } from 'node:child_process';
import type { Availability } from './availability.js';

/**
 * What this machine lets us do with network namespaces.
 * `root`: everything, with Envoy as its own user. `user`: namespaces inside a user namespace, where the only
 * user is root, so that iptables cannot tell Envoy from an app and captures by destination instead.
 */
export type NamespaceMode = 'root' | 'user';

const PROGRAMS = ['unshare', 'nsenter', 'setpriv', 'ip', 'iptables-restore'] as const;

function has(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;
}

/** Which kind of network namespaces can be made here; the reason names what is missing and what to do. */
export function findNamespaceMode(): Availability<NamespaceMode> {
  if (process.platform !== 'linux') return { missing: `network namespaces need Linux, this is ${process.platform}` };
  const absent = PROGRAMS.filter((program) => !has(program));
  if (absent.length > 0) {
    return { missing: `${absent.join(', ')} not found (Debian: apt-get install iproute2 iptables util-linux)` };
  }
  const trial = 'ip link set lo up && iptables -t nat -A OUTPUT -p tcp -j REDIRECT --to-ports 15001';
  if (spawnSync('unshare', ['-n', 'sh', '-c', trial], { stdio: 'ignore' }).status === 0) return { value: 'root' };
  if (spawnSync('unshare', ['-rn', 'sh', '-c', trial], { stdio: 'ignore' }).status === 0) return { value: 'user' };
  return { missing: 'this user may not make network namespaces with iptables rules (run as root)' };
}
