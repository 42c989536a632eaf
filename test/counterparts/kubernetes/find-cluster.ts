import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findEnvoy } from '../find-envoy.js';
import { findNamespaceMode } from '../namespace-mode.js';
import { projectRoot } from '../project-root.js';
import { findTestcluster } from './find-testcluster.js';

/** Parts of a whole cluster that runs pods. */
export interface ClusterPrograms {
  /** The folder of testcluster and testdns. */
  readonly folder: string;
  readonly envoy: string;
}

export type ClusterRequirement =
  | { readonly available: ClusterPrograms; readonly missing?: never }
  | { readonly available?: never; readonly missing: string };

const PROGRAMS = [
  ['kubectl', 'https://kubernetes.io/docs/tasks/tools/'],
  ['openssl', 'Debian: apt-get install openssl'],
] as const;

/** How a pod gets its files: a view of the files of this machine. Its own writes stay private. */
const OVERLAY_TRIAL = [
  'mount -t tmpfs tmpfs /mnt',
  'mkdir /mnt/upper /mnt/work /mnt/root',
  'options=lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work',
  'mount -t overlay overlay -o $options /mnt/root || mount -t overlay overlay -o $options,userxattr /mnt/root',
].join('\n');

function findMissing(): readonly string[] {
  const reasons = PROGRAMS.filter(
    ([program]) => spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status !== 0,
  ).map(([program, remedy]) => `${program} not found (${remedy})`);
  const mode = findNamespaceMode();
  if ('missing' in mode) return [...reasons, mode.missing];
  if (mode.value !== 'root') return [...reasons, 'pods that run need root'];
  const trial = ['-mpf', '--kill-child=KILL', '--propagation', 'private', 'sh', '-ec', OVERLAY_TRIAL];
  if (spawnSync('unshare', trial, { stdio: 'ignore' }).status === 0) return reasons;
  return [...reasons, 'overlay mounts are not allowed here, and pods need them'];
}

/**
 * The programs for tests that need pods to run. Without them, or without root, the tests are declared as skipped, and
 * `npm test` lists them with the reason; with REQUIRE_COUNTERPARTS=1 the missing counterpart is an error here.
 */
export function requireCluster(): ClusterRequirement {
  const envoy = findEnvoy();
  const testcluster = findTestcluster();
  const reasons = [envoy, testcluster].flatMap((found) => ('missing' in found ? [found.missing] : []));
  reasons.push(...findMissing());
  if ('value' in envoy && 'value' in testcluster) {
    const folder = join(testcluster.value, '..');
    if (!existsSync(join(folder, 'testdns'))) reasons.push(`testdns not found in ${folder}`);
    if (!existsSync(join(projectRoot(), 'hack/testcluster/up.sh'))) reasons.push('hack/testcluster/up.sh not found');
    if (reasons.length === 0) return { available: { folder, envoy: envoy.value } };
  }
  const missing = reasons.join('; ');
  if (process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(`a counterpart is missing: ${missing}`);
  return { missing };
}
