import { Cli } from 'clipanion';
import { createBenchCli } from './cli/create-bench-cli.js';

const enableColors = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
process.exitCode = await createBenchCli(enableColors).run(process.argv.slice(2), Cli.defaultContext);
