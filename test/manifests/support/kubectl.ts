import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { ApiServer } from '../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../counterparts/kubernetes/find-testcluster.js';
import { projectRoot } from '../../counterparts/project-root.js';
import { runTool, type ToolResult } from './run-tool.js';

/** Runs kubectl in the repository's folder, as a user does. */
export type Kubectl = (...args: readonly string[]) => Promise<ToolResult>;

/** The binary of the test cluster if kubectl exists too; otherwise tests are skipped, or an error is thrown. */
export function requireKubernetesAndKubectl(): ReturnType<typeof requireKubernetes> {
  const kubernetes = requireKubernetes();
  const kubectl = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
  if (kubernetes.missing !== undefined || kubectl.error === undefined) return kubernetes;
  if (process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error('a counterpart is missing: kubectl');
  return { missing: 'kubectl not found (https://kubernetes.io/docs/tasks/tools/)' };
}

/** The caches of kubectl are in the folder of the API server, and are removed with it. */
export function createKubectl(api: ApiServer): Kubectl {
  const flags = ['--kubeconfig', api.kubeconfig, '--cache-dir', join(api.folder, 'kubectl')];
  return (...args) => runTool('kubectl', [...flags, ...args], { cwd: projectRoot() });
}
