import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { programFile } from '../program-file.js';
import type { Cluster } from './cluster.js';

/** Runs `navigator-discovery` on the node, with the kubeconfig of the administrator unless another one is named. */
export async function runOnNode(
  cluster: Cluster,
  argv: readonly string[],
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const config = argv.includes('--kubeconfig') ? [] : ['--kubeconfig', join(cluster.folder, 'kubeconfig')];
  const [command = '', ...rest] = cluster.onNode([
    process.execPath,
    programFile('navigator-discovery'),
    ...argv,
    ...config,
  ]);
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number>((resolve, reject) => {
    child.on('close', (code) => resolve(code ?? -1));
    child.on('error', reject);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

/** Writes a kubeconfig for a token. @returns its path */
export async function kubeconfigOf(cluster: Cluster, token: string): Promise<string> {
  const own = await readFile(join(cluster.folder, 'kubeconfig'), 'utf8');
  const file = join(cluster.folder, 'guest-kubeconfig');
  await writeFile(file, own.replace('admin-token', token));
  return file;
}
