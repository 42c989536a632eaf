import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Availability } from '../availability.js';
import { projectRoot } from '../project-root.js';

/** Decodes a request, by OpenTelemetry's own messages in Python, into its JSON. Default: with traces. */
export type OtlpDecoder = (bytes: Uint8Array, signal?: 'logs' | 'traces') => unknown;

/**
 * The decoder. Without it tests are declared as skipped, and `npm test` lists them with the reason; with
 * REQUIRE_COUNTERPARTS=1 that it is missing is an error here.
 */
export function requireOtlpDecoder(): Availability<OtlpDecoder> {
  const packages = join(projectRoot(), '.cache/otlp');
  if (existsSync(join(packages, 'opentelemetry')))
    return { value: (bytes, signal = 'traces') => decode(bytes, signal, packages) };
  const missing = 'the messages of OpenTelemetry are not installed (run: node scripts/obtain-otlp-decoder.mjs)';
  if (process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(`a counterpart is missing: ${missing}`);
  return { missing };
}

function decode(bytes: Uint8Array, signal: string, packages: string): unknown {
  const program = join(projectRoot(), 'test/counterparts/otlp/decode.py');
  const env = { ...process.env, PYTHONPATH: packages };
  const { status, stdout, stderr } = spawnSync('python3', [program, signal], { input: bytes, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`the decoder ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}
