import type { BenchCommand, CommandOutput } from './bench-command.js';
import { BenchError } from './bench-error.js';
import { connectionsCommand } from './connections-command.js';
import { fanOutCommand } from './fan-out-command.js';
import { formatHelp } from './help-text.js';
import { kubernetesCommand } from './kubernetes-command.js';
import { meshCommand } from './mesh-command.js';
import { overloadCommand } from './overload-command.js';
import { parseFlags } from './parsed-flags.js';
import { policyCommand } from './policy-command.js';
import { reportCommand } from './report-command.js';
import { signaturesCommand } from './signatures-command.js';
import { soakCommand } from './soak-command.js';
import { startCommand } from './start-command.js';
import { UsageError } from './usage-error.js';
import { webhookCommand } from './webhook-command.js';

/** Another benchmark is another command here. */
const COMMANDS: readonly BenchCommand[] = [
  fanOutCommand,
  meshCommand,
  policyCommand,
  overloadCommand,
  kubernetesCommand,
  connectionsCommand,
  soakCommand,
  startCommand,
  webhookCommand,
  signaturesCommand,
  reportCommand,
];

/** Runs `npm run bench -- <args>` and gives its exit code: 1 for bad arguments and for failures, told in one message. */
export async function runCommandLine(args: readonly string[], output: CommandOutput): Promise<number> {
  if (args[0] === 'help' || args.includes('--help') || args.includes('-h')) {
    output.stdout.write(formatHelp(COMMANDS));
    return 0;
  }
  const named = COMMANDS.find(({ name }) => name !== '' && name === args[0]);
  const command = named ?? fanOutCommand;
  try {
    return await command.run(parseFlags(command, named === undefined ? args : args.slice(1)), output);
  } catch (error) {
    if (error instanceof UsageError) output.stderr.write(`bench: ${error.message} See --help.\n`);
    else if (error instanceof BenchError) output.stderr.write(`bench: ${error.message}\n`);
    else throw error;
    return 1;
  }
}
