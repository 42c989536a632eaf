#!/usr/bin/env node
import { Cli } from 'clipanion';
import { policyProgram } from './policy-program.js';
import { endProcess, run } from './run.js';
import { tuneCompiler } from './tune-compiler.js';
import { tuneHeap } from './tune-heap.js';

tuneHeap();
tuneCompiler();
const environment = {
  ...Cli.defaultContext,
  loadPolicy: async () => (await import('../bootstrap/start-policy.js')).startPolicy,
};
endProcess(await run(process.argv.slice(2), environment, policyProgram));
