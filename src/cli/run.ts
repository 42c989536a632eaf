import { Builtins, Cli } from 'clipanion';
import type { CommandEnvironment } from './command-context.js';
import { DiscoveryCommand } from './commands/discovery-command.js';
import { BINARY_NAME, failureLine } from './commands/reported-command.js';
import { RequestCommand } from './commands/request-command.js';
import { VersionCommand } from './commands/version-command.js';
import { type CommandHelp, renderCommandHelp } from './help.js';
import { type AnyFlag, type Arguments, parseArguments, unknownFlag } from './parse-arguments.js';
import { commonFlags } from './settings/common-flags.js';
import { discoveryFlags } from './settings/discovery-flags.js';
import { quote } from './settings/setting-error.js';
import { versionFlags } from './settings/version-flags.js';

const COMMON: readonly AnyFlag[] = Object.values(commonFlags);

const COMMANDS: ReadonlyMap<string, CommandHelp> = new Map([
  [
    'discovery',
    {
      purpose: DiscoveryCommand.usage.description ?? '',
      synopsis: 'discovery [flags]',
      flags: Object.values(discoveryFlags),
      readsEnvironment: true,
    },
  ],
  [
    'request',
    {
      purpose: RequestCommand.usage.description ?? '',
      synopsis: 'request <method> <path> [<body>] [flags]',
      flags: [],
      readsEnvironment: false,
    },
  ],
  [
    'version',
    {
      purpose: VersionCommand.usage.description ?? '',
      synopsis: 'version [flags]',
      flags: Object.values(versionFlags),
      readsEnvironment: false,
    },
  ],
]);

/**
 * Runs one command line (SPEC 4.3).
 *
 * @param argv without node and script
 * @returns the exit code: 0, or 1 after one line on stderr
 */
export async function run(argv: readonly string[], environment: CommandEnvironment): Promise<number> {
  let line: Arguments;
  try {
    line = parseArguments(argv, [...COMMON, ...[...COMMANDS.values()].flatMap(({ flags }) => flags)]);
    checkCommand(line);
  } catch (error) {
    environment.stderr.write(failureLine(error));
    return 1;
  }
  const help = line.help && line.command !== undefined ? COMMANDS.get(line.command) : undefined;
  if (help !== undefined) {
    environment.stdout.write(renderCommandHelp(help, COMMON));
    return 0;
  }
  // Clipanion treats what follows `--` as operands, whatever it looks like.
  const words = line.command === undefined ? [] : [line.command, '--', ...line.operands];
  return createCli().run(words, { ...environment, flags: line.flags });
}

function createCli() {
  const cli = new Cli<CommandEnvironment & { readonly flags: Arguments['flags'] }>({
    binaryName: BINARY_NAME,
    binaryLabel: 'Navigator: fleet-wide traffic management',
    enableColors: false,
  });
  cli.register(Builtins.HelpCommand);
  cli.register(DiscoveryCommand);
  cli.register(RequestCommand);
  cli.register(VersionCommand);
  return cli;
}

/** Only `request` takes operands, and a flag must be one of the command's own or a common one. */
function checkCommand({ command, operands, flags }: Arguments): void {
  if (command === undefined) {
    return;
  }
  const known = COMMANDS.get(command);
  if (known === undefined) {
    throw new Error(`${quote(command)} is not a command: use one of ${[...COMMANDS.keys()].join(', ')}`);
  }
  if (command !== 'request' && operands[0] !== undefined) {
    throw new Error(`${command} takes no arguments, only flags: ${quote(operands[0])} is left over`);
  }
  const allowed = [...COMMON, ...known.flags];
  for (const name of flags.keys()) {
    if (!allowed.some((flag) => flag.name === name)) {
      throw unknownFlag(`--${name}`, allowed, command);
    }
  }
}
