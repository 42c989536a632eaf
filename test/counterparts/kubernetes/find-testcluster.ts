import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Availability } from '../availability.js';
import { projectRoot } from '../project-root.js';

/**
 * The multi-call binary of etcd, API server and controllers: TESTCLUSTER_BIN, or the one that
 * scripts/obtain-testcluster.mjs built.
 */
export function findTestcluster(): Availability<string> {
  const chosen = process.env['TESTCLUSTER_BIN'];
  const binary = join(chosen ?? join(projectRoot(), '.cache/testcluster'), 'testcluster');
  const remedy = chosen === undefined ? 'run: node scripts/obtain-testcluster.mjs' : 'TESTCLUSTER_BIN names its folder';
  if (!existsSync(binary)) return { missing: `Kubernetes not found at ${binary} (${remedy})` };
  const setpriv = spawnSync('setpriv', ['--version'], { stdio: 'ignore' });
  if (setpriv.error !== undefined) return { missing: 'setpriv not found (Debian: apt-get install util-linux)' };
  return { value: binary };
}

export type KubernetesRequirement =
  | { readonly available: string; readonly missing?: never }
  | { readonly available?: never; readonly missing: string };

/**
 * The binary for tests that need a real API server. Without it they are declared as skipped, and `npm test`
 * lists them with the reason; with REQUIRE_COUNTERPARTS=1 the missing counterpart is an error here.
 */
export function requireKubernetes(): KubernetesRequirement {
  const found = findTestcluster();
  if ('value' in found) return { available: found.value };
  if (process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(`a counterpart is missing: ${found.missing}`);
  return { missing: found.missing };
}
