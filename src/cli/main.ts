#!/usr/bin/env node
import { Cli } from 'clipanion';
import { run } from './run.js';

const exitCode = await run(process.argv.slice(2), {
  ...Cli.defaultContext,
  loadDiscovery: async () => (await import('../bootstrap/start-discovery.js')).startDiscovery,
  monitoring: { host: '127.0.0.1', port: 15014 },
});
process.exitCode = exitCode;
if (exitCode !== 0) {
  // A start that failed halfway may have left listeners open, which would keep the process alive.
  process.exit();
}
