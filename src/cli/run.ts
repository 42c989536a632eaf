import { type BaseContext, Cli } from 'clipanion';
import { nearestName } from '../base/nearest-name.js';
import { failureLine } from './commands/reported-command.js';
import { renderCommandHelp } from './help.js';
import { type AnyFlag, type Arguments, parseArguments, unknownFlag } from './parse-arguments.js';
import type { CommandContext, Program } from './program.js';
import { commonFlags } from './settings/common-flags.js';
import { quote } from './settings/setting-error.js';
import { outputStyle } from './text-output.js';
import { wrapLines } from './wrap-lines.js';

const COMMON: readonly AnyFlag[] = Object.values(commonFlags);

/**
 * Runs one command line (docs/reference/http.md#commands).
 *
 * @param argv without node and script
 * @returns the exit code: 0, or 1 after one line on stderr
 */
export async function run<Environment extends BaseContext>(
  argv: readonly string[],
  environment: Environment,
  program: Program<Environment>,
): Promise<number> {
  let line: Arguments;
  try {
    const ofCommands = [...program.commands.values()].flatMap(({ flags }) => flags);
    line = parseArguments(argv, [...COMMON, ...ofCommands], program.name);
    checkCommand(line, program);
  } catch (error) {
    environment.stderr.write(failureLine(program.name, error));
    return 1;
  }
  const writeHelp = (text: string): void => {
    const { width } = outputStyle(environment.stdout, environment.env, 'auto');
    environment.stdout.write(wrapLines(text, width));
  };
  const help = line.help && line.command !== undefined ? program.commands.get(line.command) : undefined;
  if (help !== undefined) {
    writeHelp(renderCommandHelp(program.name, help, COMMON));
    return 0;
  }
  const cli = createCli(program);
  if (line.command === undefined) {
    writeHelp(cli.usage());
    return 0;
  }
  // Clipanion treats all words after `--` as operands.
  const words = [line.command, '--', ...line.operands];
  return cli.run(words, { ...environment, flags: line.flags, help: program });
}

function createCli<Environment extends BaseContext>({ name, label, commands }: Program<Environment>) {
  const cli = new Cli<CommandContext<Environment>>({ binaryName: name, binaryLabel: label, enableColors: false });
  for (const { command } of commands.values()) cli.register(command);
  return cli;
}

/** Checks the command name, its operands, and that each flag belongs to the command or is a common flag. */
function checkCommand<Environment extends BaseContext>(
  { command, operands, flags }: Arguments,
  { name: binaryName, commands }: Program<Environment>,
): void {
  if (command === undefined) {
    return;
  }
  const known = commands.get(command);
  if (known === undefined) {
    const nearest = nearestName(command, commands.keys());
    const hint = nearest === undefined ? '' : `did you mean ${nearest}? `;
    throw new Error(`${quote(command)} is not a command: ${hint}the commands are ${[...commands.keys()].join(', ')}`);
  }
  if (!known.takesOperands && operands[0] !== undefined) {
    throw new Error(`${command} accepts only flags, not the argument ${quote(operands[0])}`);
  }
  const allowed = [...COMMON, ...known.flags];
  for (const name of flags.keys()) {
    if (!allowed.some((flag) => flag.name === name)) {
      throw unknownFlag(`--${name}`, allowed, binaryName, command);
    }
  }
}

/** Sets the exit code. After a failure, ends the process at once. */
export function endProcess(exitCode: number): void {
  process.exitCode = exitCode;
  if (exitCode !== 0) {
    // A failed start may leave listeners open, which would keep the process alive.
    process.exit();
  }
}
