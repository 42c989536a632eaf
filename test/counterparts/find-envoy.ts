import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Availability } from './availability.js';
import { projectRoot } from './project-root.js';

/** The Envoy binary: ENVOY_BINARY, or the one that scripts/obtain-envoy.mjs put into .cache. */
export function findEnvoy(): Availability<string> {
  const chosen = process.env['ENVOY_BINARY'];
  const binary = chosen ?? join(projectRoot(), '.cache/envoy/envoy/_bin/envoy');
  if (existsSync(binary)) return { value: binary };
  const remedy = chosen === undefined ? 'run: node scripts/obtain-envoy.mjs' : 'ENVOY_BINARY names it';
  return { missing: `Envoy not found at ${binary} (${remedy})` };
}
