import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../test/counterparts/project-root.js';
import { describeMachine } from '../report/machine.js';
import { MEASURED_SECTIONS, putIntoPage } from '../report/measured-page.js';
import type { BenchCommand } from './bench-command.js';
import { connectionsCommand } from './connections-command.js';
import { fanOutCommand } from './fan-out-command.js';
import { parseFlags } from './parsed-flags.js';
import { UsageError } from './usage-error.js';

const PAGE = 'docs/performance.md';
const NAMES = MEASURED_SECTIONS.map(({ name }) => name);
const ALL = 'all';

/** Makes the runs whose tables docs/performance.md shows. */
export const reportCommand: BenchCommand = {
  name: 'report',
  summary: `Makes the runs that ${PAGE} shows, one after the other, and writes their tables into the page.`,
  details: 'Takes minutes. Nothing else should run on the machine.',
  operands: [],
  flags: { only: { placeholder: 'LIST', default: ALL, description: 'some of the runs, with commas' } },
  async run(flags, { stdout, stderr }) {
    const chosen = flags.text('only') ?? ALL;
    const only = chosen === ALL ? NAMES : chosen.split(',');
    const unknown = only.find((name) => !NAMES.includes(name));
    if (unknown !== undefined) {
      throw new UsageError(`--only: "${unknown}" is not a run. Name some of ${NAMES.join(', ')}.`);
    }
    const file = join(projectRoot(), PAGE);
    const { processors, model, node } = describeMachine();
    for (const section of MEASURED_SECTIONS.filter(({ name }) => only.includes(name))) {
      stderr.write(`bench: run ${section.name}\n`);
      let text = `${processors} cores (${model}), Node ${node}\n`;
      const output = { stdout: { write: (part: string) => (text += part) }, stderr };
      const isConnections = section.args[0] === connectionsCommand.name;
      const command = isConnections ? connectionsCommand : fanOutCommand;
      await command.run(parseFlags(command, isConnections ? section.args.slice(1) : section.args), output);
      // Read again for each run: each is written as soon as it is done.
      await writeFile(file, putIntoPage(await readFile(file, 'utf8'), section, text));
      stdout.write(`${text}\n`);
    }
    return 0;
  },
};
