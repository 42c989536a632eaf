import { spawnSync } from 'node:child_process';
import type { Availability } from './availability.js';

/** The Chromium program: CHROMIUM, or the one on PATH. */
function findChromium(): Availability<string> {
  const binary = process.env['CHROMIUM'] ?? 'chromium';
  if (spawnSync(binary, ['--version'], { stdio: 'ignore' }).status === 0) return { value: binary };
  return { missing: `${binary} does not run (Debian: apt-get install chromium)` };
}

/**
 * Chromium, for tests that only need it. Without it they are declared as skipped, and `npm test` lists them with the
 * reason; with REQUIRE_COUNTERPARTS=1 that it is missing is an error here.
 */
export function requireChromium(): Availability<string> {
  const chromium =
    process.platform === 'linux' ? findChromium() : { missing: `it needs Linux; this is ${process.platform}` };
  if ('missing' in chromium && process.env['REQUIRE_COUNTERPARTS'] === '1') {
    throw new Error(`a counterpart is missing: ${chromium.missing}`);
  }
  return chromium;
}
