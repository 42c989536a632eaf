import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { ApiServer } from '../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../counterparts/kubernetes/find-testcluster.js';
import { projectRoot } from '../../counterparts/project-root.js';

export interface KubectlResult {
  readonly code: number | null;
  readonly output: string;
  /** Errors, and the warnings of the API server. */
  readonly complaint: string;
}

/** Runs kubectl in the repository's folder, as a user does. */
export type Kubectl = (...args: readonly string[]) => Promise<KubectlResult>;

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
  return (...args) =>
    new Promise((resolve, reject) => {
      const child = spawn('kubectl', [...flags, ...args], { cwd: projectRoot(), stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      let complaint = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
      });
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        complaint += chunk;
      });
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, output, complaint }));
    });
}
