import { spawnSync } from 'node:child_process';
import type { Availability } from './availability.js';

/**
 * The kind of network namespaces that this machine supports. `root`: all features, with Envoy as a separate user.
 * `user`: namespaces inside a user namespace. Its only user is root, so iptables cannot distinguish Envoy from an app
 * and captures by destination.
 */
export type NamespaceMode = 'root' | 'user';

const PROGRAMS = ['unshare', 'nsenter', 'setpriv', 'ip', 'iptables-restore'] as const;

function has(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;
}

/** The supported kind of network namespaces. The reason names what is missing and the remedy. */
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
