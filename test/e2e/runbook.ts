import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../counterparts/command.js';
import type { Cluster } from '../counterparts/kubernetes/cluster.js';
import { projectRoot } from '../counterparts/project-root.js';
import { writeChart } from '../manifests/support/helm.js';
import { eventually } from '../support/eventually.js';
import { type CommandBlock, commandBlocksOf, isAsShown } from '../support/page-commands.js';
import { PATIENT } from './cluster-mesh.js';

const OPERATIONS = 'docs/operations.md';

/** The commands of pages, which are run as the pages have them. */
export interface Runbooks {
  /** A copy of the files that the commands name, which tests may change as users do. */
  readonly folder: string;
  /** The `sh` blocks below a heading, in their order. @param page default docs/operations.md */
  blocksOf(heading: string, page?: string): readonly string[];
  /**
   * Runs a command, or a whole block, on the node of the cluster.
   *
   * @throws Error with the output of its commands
   */
  run(command: string): Promise<string>;
  /**
   * Runs the commands of the `console` block below a heading, as a person would: a command whose output the page shows
   * is repeated until it prints that.
   *
   * @param page default docs/operations.md
   * @throws Error with the last output
   */
  follow(heading: string, page?: string): Promise<void>;
  close(): Promise<void>;
}

export async function openRunbooks(cluster: Cluster): Promise<Runbooks> {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-runbook-'));
  for (const name of ['manifests', 'samples'])
    await cp(join(projectRoot(), name), join(folder, name), { recursive: true });
  await writeChart(join(folder, 'build/chart/navigator'));
  const settings = [
    `KUBECONFIG=${join(cluster.folder, 'kubeconfig')}`,
    `KUBECACHEDIR=${join(folder, 'cache')}`,
    `PATH=${join(projectRoot(), '.cache/helm')}:${process.env['PATH']}`,
    `HELM_CACHE_HOME=${join(folder, 'cache/helm')}`,
    `HELM_CONFIG_HOME=${join(folder, 'cache/helm')}`,
    `HELM_DATA_HOME=${join(folder, 'cache/helm')}`,
  ];
  const run = (command: string) => runCommand(cluster.onNode(['env', '-C', folder, ...settings, 'sh', '-ec', command]));
  return {
    folder,
    blocksOf: (heading, page = OPERATIONS) => blocksBelow(page, heading, 'sh').map(({ text }) => text),
    run,
    follow: async (heading, page = OPERATIONS) => {
      let aliases = '';
      for (const { command, output } of blocksBelow(page, heading, 'console').flatMap(({ commands }) => commands)) {
        if (command.startsWith('alias ')) aliases += command;
        else if (output === undefined) await run(aliases + command);
        else await untilShown(() => run(`${aliases}( ${command} ) 2>&1 || true`), command, output);
      }
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

function blocksBelow(page: string, heading: string, language: 'sh' | 'console'): readonly CommandBlock[] {
  const blocks = commandBlocksOf(page).filter((block) => block.heading === heading && block.language === language);
  if (blocks.length === 0) throw new Error(`${page} has no commands under "${heading}"`);
  return blocks;
}

async function untilShown(run: () => Promise<string>, command: string, shown: string): Promise<void> {
  let last = '';
  const prints = async () => {
    last = await run();
    return isAsShown(last, shown);
  };
  await eventually(`${command.trim()} prints what the page shows`, prints, PATIENT).catch((cause) => {
    throw new Error(`${command} printed:\n${last}\nand not:\n${shown}`, { cause });
  });
}
