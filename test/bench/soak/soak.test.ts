import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'ava';
import { supervise } from '../../../bench/cli/supervised-run.js';
import { probeHeap, readLiveHeap } from '../../../bench/soak/live-heap.js';
import { measureSoak } from '../../../bench/soak/measure-soak.js';
import { formatSoakReport, judgeSoak } from '../../../bench/soak/soak-report.js';
import type { SoakResult } from '../../../bench/soak/soak-result.js';
import { eventually } from '../../support/eventually.js';

const MEBIBYTE = 1024 * 1024;

/** Half an hour with a sample each minute. */
function resultWith(bytesPerMinute: number, descriptorsPerMinute = 0, errors: readonly string[] = []): SoakResult {
  const samples = Array.from({ length: 31 }, (_, minute) => ({
    atMs: minute * 60_000,
    // What a server allocates first is no leak.
    heapBytes: 40 * MEBIBYTE + Math.min(minute, 5) * MEBIBYTE,
    externalBytes: 10 * MEBIBYTE + minute * bytesPerMinute,
    residentBytes: 200 * MEBIBYTE,
    fileDescriptors: 50 + Math.floor(minute * descriptorsPerMinute),
  }));
  return { seconds: 1800, changes: 9000, passingClients: 9000, receivedBytes: 1, cpuSeconds: 1, samples, errors };
}

const missed = (result: SoakResult) => judgeSoak(result).flatMap(({ name, met }) => (met ? [] : [name]));

test('memory that grows by more than 0.2 MiB a minute, files and errors are missed goals', (t) => {
  t.deepEqual(missed(resultWith(0)), []);
  t.deepEqual(missed(resultWith(0.19 * MEBIBYTE)), []);
  t.deepEqual(missed(resultWith(0.21 * MEBIBYTE)), ['live heap, growth']);
  t.deepEqual(missed(resultWith(0, 0.5)), ['file descriptors, growth']);
  t.deepEqual(missed(resultWith(0, 0, ['nav_total_xds_rejects is 1'])), ['errors']);
  t.deepEqual(missed({ ...resultWith(0), samples: [] }), ['live heap, growth', 'file descriptors, growth']);
});

test('the live heap of a process is what is left after its garbage was collected', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-heap-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const socketPath = path.join(folder, 'heap');
  const { nodeFlags, env } = probeHeap(socketPath);
  const program = `
    globalThis.kept = Array.from({ length: 20 }, () => Buffer.alloc(${MEBIBYTE}));
    for (let count = 0; count < 20; count += 1) Buffer.alloc(${MEBIBYTE});
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, [...nodeFlags, '--eval', program], { env: { ...process.env, ...env } });
  t.teardown(() => child.kill('SIGKILL'));
  const { externalBytes, heapBytes } = await eventually('the process answers', () => readLiveHeap(socketPath));
  t.true(externalBytes > 20 * MEBIBYTE && externalBytes < 30 * MEBIBYTE, `${externalBytes}`);
  t.true(heapBytes > MEBIBYTE);
});

test('a server is changed while clients come and go, and rejects nothing', async (t) => {
  const size = { services: 20, endpointsPerService: 2, namespaces: 2, routed: 3, scopes: 0 };
  const options = { size, clients: 5, seconds: 3, perSecond: 20, sampleSeconds: 1.5, snapshotFolder: undefined };
  const result = await supervise((parts) => measureSoak({ ...options, timeoutMs: 60_000 }, parts));
  t.deepEqual(result.errors, []);
  t.true(result.samples.length >= 2 && result.changes > 0 && result.receivedBytes > 0);
  t.is(result.passingClients, result.changes);
  for (const { heapBytes, residentBytes } of result.samples) t.true(heapBytes > 0 && residentBytes > heapBytes);
  t.regex(
    formatSoakReport(5, result, { bold: String, dim: String, good: String, bad: String }),
    /PASS {3}errors +0 +\/ +0/,
  );
});
