#!/usr/bin/env node
import { Cli } from 'clipanion';
import { discoveryProgram } from './discovery-program.js';
import { endProcess, run } from './run.js';
import { tuneCompiler } from './tune-compiler.js';
import { tuneHeap } from './tune-heap.js';

tuneHeap();
tuneCompiler();
const environment = {
  ...Cli.defaultContext,
  loadDiscovery: async () => (await import('../bootstrap/start-discovery.js')).startDiscovery,
};
endProcess(await run(process.argv.slice(2), environment, discoveryProgram));
