#!/usr/bin/env node
import { Cli } from 'clipanion';
import { discoveryProgram } from './discovery-program.js';
import { endProcess } from './end-process.js';
import { run } from './run.js';
import { tuneHeap } from './tune-heap.js';

tuneHeap();
const environment = {
  ...Cli.defaultContext,
  loadDiscovery: async () => (await import('../bootstrap/start-discovery.js')).startDiscovery,
  monitoring: { host: '127.0.0.1', port: 15014 },
};
endProcess(await run(process.argv.slice(2), environment, discoveryProgram));
