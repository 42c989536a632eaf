// Run by scripts/demo.mjs, which sets everything up: node build/samples/demo/main.js ENVOY_BINARY
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createNarrator } from './narrator.js';
import { runDemo } from './run-demo.js';

const colours = process.stdout.isTTY && process.env['NO_COLOR'] === undefined && process.env['TERM'] !== 'dumb';
const narrator = createNarrator((text) => process.stdout.write(text), colours);

const folder = mkdtempSync(join(tmpdir(), 'navigator-demo-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

let close: () => Promise<void> = async () => undefined;
let interrupted = false;

async function interrupt(): Promise<void> {
  if (interrupted) return;
  interrupted = true;
  process.exitCode = 130;
  await close().catch(() => undefined);
  process.stdout.write('\nInterrupted; everything of the demo is gone.\n');
  process.exit(130);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void interrupt());

try {
  await runDemo(narrator, { envoy: process.argv[2] ?? '', folder }, (end) => {
    close = end;
  });
} catch (error) {
  // Whatever an interruption broke is no news.
  if (!interrupted) {
    process.stderr.write(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
