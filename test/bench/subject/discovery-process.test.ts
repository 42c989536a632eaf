import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { BenchError } from '../../../bench/cli/bench-error.js';
import { readProcessUsage } from '../../../bench/measure/process-usage.js';
import { startDiscoveryProcess } from '../../../bench/subject/discovery-process.js';
import { OwnedProcesses } from '../../../bench/subject/owned-process.js';

const entry = fileURLToPath(new URL('./fake-discovery.js', import.meta.url));

async function prepare(t: ExecutionContext, behaviour: string) {
  process.env['FAKE_DISCOVERY'] = behaviour;
  const workFolder = await mkdtemp(join(tmpdir(), 'bench-process-test-'));
  const processes = new OwnedProcesses();
  t.teardown(async () => {
    processes.killAll();
    await rm(workFolder, { recursive: true, force: true });
  });
  const folders = { meshFolder: join(workFolder, 'mesh'), stagingFolder: join(workFolder, 'staging'), workFolder };
  return { ...folders, entry, processes, timeoutMs: 60_000 };
}

test.serial('a server with endpoint slices starts, becomes ready and is stopped', async (t) => {
  const options = await prepare(t, 'good');
  const subject = await startDiscoveryProcess(options);
  t.true((subject.readyMs ?? 0) > 0);
  t.regex(await readFile(join(options.workFolder, 'server.log'), 'utf8'), /endpoint slices true/);
  await subject.stop();
  t.is(await readProcessUsage(subject.pid ?? 0), undefined);
});

test.serial('a server that ends at its start is reported with the end of its log', async (t) => {
  await t.throwsAsync(startDiscoveryProcess(await prepare(t, 'crash')), {
    instanceOf: BenchError,
    code: 'server-failed',
    message: /exited with code 3\. Its log ends:\n {2}the port is in use/,
  });
});

test.serial('a server that does not become ready is stopped after the timeout', async (t) => {
  const options = await prepare(t, 'never-ready');
  await t.throwsAsync(startDiscoveryProcess({ ...options, timeoutMs: 500 }), {
    instanceOf: BenchError,
    code: 'timed-out',
    message: /^Waited 0\.5 s for the discovery server to answer \/ready/,
  });
});

test.serial('a server that ignores SIGTERM is killed', async (t) => {
  const subject = await startDiscoveryProcess(await prepare(t, 'stubborn'));
  await subject.stop();
  t.is(await readProcessUsage(subject.pid ?? 0), undefined);
});

test.serial('a server that ends during a run fails it', async (t) => {
  const options = await prepare(t, 'good');
  const subject = await startDiscoveryProcess(options);
  options.processes.killAll();
  await t.throwsAsync(subject.failed, { code: 'server-failed', message: /was ended by SIGKILL/ });
});
