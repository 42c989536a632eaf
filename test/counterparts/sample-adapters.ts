import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import type { Availability } from './availability.js';
import { type ManagedProcess, startManagedProcess } from './managed-process.js';
import { projectRoot } from './project-root.js';

/** The adapters of samples/adapters: one in TypeScript, one in Go. */
export type SampleAdapter = 'accounts' | 'audit';

const AUDIT = join(projectRoot(), '.cache/adapters/audit');

/**
 * The programs of both. Without the one in Go, tests are declared as skipped, and `npm test` lists them with the reason;
 * with REQUIRE_COUNTERPARTS=1 that it is missing is an error here.
 */
export function requireSampleAdapters(): Availability<Readonly<Record<SampleAdapter, readonly string[]>>> {
  if (existsSync(AUDIT)) {
    return {
      value: {
        accounts: [process.execPath, join(projectRoot(), 'build/samples/adapters/accounts/adapter.js')],
        audit: [AUDIT, '-listen'],
      },
    };
  }
  const missing = 'the adapter in Go is not built (run: node scripts/obtain-adapters.mjs)';
  if (process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(`a counterpart is missing: ${missing}`);
  return { missing };
}

/** Starts an adapter, and waits until it takes connections. @param address host:port */
export async function startSampleAdapter(command: readonly string[], address: string): Promise<ManagedProcess> {
  const adapter = startManagedProcess({ name: 'adapter', command: [...command, address] });
  await eventually('the adapter listens', () => {
    if (!adapter.isRunning()) throw new Error(`the adapter has ended: ${adapter.tail()}`);
    return adapter.lines.some((line) => line.includes('listening on'));
  });
  return adapter;
}
