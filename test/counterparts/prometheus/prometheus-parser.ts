import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Availability } from '../availability.js';
import { projectRoot } from '../project-root.js';

/** A family, as the parser of Prometheus reads it. */
export interface ParsedFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** Values that are not finite are texts: inf, -inf, nan. */
  readonly samples: readonly (readonly [string, Readonly<Record<string, string>>, number | string])[];
}

/** Reads metrics in the text format by the Python client of Prometheus. */
export type PrometheusParser = (text: string) => readonly ParsedFamily[];

/**
 * The parser. Without it tests are declared as skipped, and `npm test` lists them with the reason; with
 * REQUIRE_COUNTERPARTS=1 that it is missing is an error here.
 */
export function requirePrometheusParser(): Availability<PrometheusParser> {
  const packages = join(projectRoot(), '.cache/prometheus');
  if (existsSync(join(packages, 'prometheus_client'))) return { value: (text) => parse(text, packages) };
  const missing = 'the client of Prometheus is not installed (run: node scripts/obtain-prometheus-parser.mjs)';
  if (process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(`a counterpart is missing: ${missing}`);
  return { missing };
}

function parse(text: string, packages: string): readonly ParsedFamily[] {
  const program = join(projectRoot(), 'test/counterparts/prometheus/parse.py');
  const env = { ...process.env, PYTHONPATH: packages, PYTHONIOENCODING: 'utf-8' };
  const { status, stdout, stderr } = spawnSync('python3', [program], { input: text, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`the parser ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}
