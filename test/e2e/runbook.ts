import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../counterparts/command.js';
import type { Cluster } from '../counterparts/kubernetes/cluster.js';
import { projectRoot } from '../counterparts/project-root.js';

const PAGE = 'docs/operations.md';

/** The runbooks of docs/operations.md, which are run as the page has them. */
export interface Runbooks {
  /** A copy of the files that the commands name, which tests may change as users do. */
  readonly folder: string;
  /** The `sh` blocks below a heading of the second level, in their order. */
  blocksOf(heading: string): readonly string[];
  /**
   * Runs a block of a page on the node of the cluster.
   *
   * @throws Error with the output of its commands
   */
  run(block: string): Promise<string>;
  close(): Promise<void>;
}

export async function openRunbooks(cluster: Cluster): Promise<Runbooks> {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-runbook-'));
  await cp(join(projectRoot(), 'manifests'), join(folder, 'manifests'), { recursive: true });
  const page = await readFile(join(projectRoot(), PAGE), 'utf8');
  const settings = [`KUBECONFIG=${join(cluster.folder, 'kubeconfig')}`, `KUBECACHEDIR=${join(folder, 'cache')}`];
  return {
    folder,
    blocksOf: (heading) => {
      const blocks = blocksIn(sectionOf(page, heading));
      if (blocks.length === 0) throw new Error(`${PAGE} has no commands under "${heading}"`);
      return blocks;
    },
    run: (block) => runCommand(cluster.onNode(['env', '-C', folder, ...settings, 'sh', '-ec', block])),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

function sectionOf(page: string, heading: string): string {
  const [, ...after] = page.split(`\n## ${heading}\n`);
  return after.join('').split('\n## ')[0] ?? '';
}

function blocksIn(section: string): readonly string[] {
  const found = section.matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gm);
  return [...found].map(([, indent = '', text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
}
