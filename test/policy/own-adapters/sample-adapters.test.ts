import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { CheckDecision } from '../../../src/policy/client/check-flow.js';
import { readObject } from '../../config/support/read-yaml.js';
import { findFreePorts } from '../../counterparts/free-ports.js';
import { projectRoot } from '../../counterparts/project-root.js';
import { requireSampleAdapters, startSampleAdapter } from '../../counterparts/sample-adapters.js';
import { eventually } from '../../support/eventually.js';
import { commandBlocksOf } from '../../support/page-commands.js';
import { FAIL_CLOSE, FAIL_OPEN } from '../rules/rule-rig.js';
import { createOwnRig } from './adapter-rig.js';

const adapters = requireSampleAdapters();
const it = 'missing' in adapters ? test.serial.skip : test.serial;
const commands = 'missing' in adapters ? { accounts: [], audit: [] } : adapters.value;

const request = (key: string, path = '/') => ({
  'destination.service.name': 'books',
  'request.path': path,
  'request.time': { type: 'timestamp', value: 1n } as const,
  'request.headers': { type: 'stringMap', value: new Map([['x-api-key', key]]) } as const,
});

/** Both adapters, and a policy server with the objects of the samples. */
async function start(t: ExecutionContext) {
  const folder = mkdtempSync(join(tmpdir(), 'adapters-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'audit.log');
  const [accountsPort = 0, auditPort = 0] = await findFreePorts(2);
  const run = async () => {
    const started = [
      await startSampleAdapter(commands.accounts, `127.0.0.1:${accountsPort}`),
      await startSampleAdapter(commands.audit, `127.0.0.1:${auditPort}`),
    ];
    t.teardown(() => Promise.all(started.map((each) => each.stop())));
    return started;
  };
  const running = await run();
  const rig = createOwnRig(t);
  const objects = ['accounts', 'audit'].flatMap((name) =>
    readFileSync(join(projectRoot(), `samples/adapters/${name}.yaml`), 'utf8')
      .replace('accounts.shop:9000', `127.0.0.1:${accountsPort}`)
      .replace('audit.shop:9001', `127.0.0.1:${auditPort}`)
      .replace('/var/log/audit.log', file)
      // A decision that is used again would hide that the adapter is away.
      .replace('valid_duration: 10s', '')
      .split('\n---\n')
      .map(readObject),
  );
  rig.applyObjects(objects);
  const paths = () =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' ').at(-1) ?? '');
  return { rig, running, run, paths };
}

it('the adapters of the samples decide, tell plans and take reports', async (t) => {
  const { rig, paths } = await start(t);
  t.is((await rig.check(request('key-of-ann'), undefined, FAIL_CLOSE)).status.code, 'OK');
  t.deepEqual((await rig.check(request('constructor'), undefined, FAIL_CLOSE)).status, {
    code: 'UNAUTHENTICATED',
    message: 'the key is not known',
  });
  rig.report(request('key-of-ann', '/a'));
  rig.report(request('key-of-bob', '/b'));
  await eventually('the reports are written', () => paths().length === 2);
  t.deepEqual(paths(), ['/a', '/b']);
});

it('the commands of docs/adapters.md describe and check the samples', (t) => {
  const below = (heading: string) =>
    commandBlocksOf('docs/adapters.md')
      .filter((block) => block.heading === heading)
      .flatMap(({ commands: shown }) => shown.map(({ command }) => command));
  const run = (command: string) => {
    const program = `'${process.execPath}' build/programs/navigator-discovery.js`;
    const text = command.replaceAll('navigator-discovery', program);
    const { status, stdout, stderr } = spawnSync('sh', ['-ec', text], { cwd: projectRoot(), encoding: 'utf8' });
    t.is(status, 0, `${text}${stderr}`);
    return stdout;
  };
  const [describe = ''] = below('Describe what the adapter gets');
  const descriptor = run(describe);
  t.true(readFileSync(join(projectRoot(), 'samples/adapters/accounts.yaml'), 'utf8').includes(`: ${descriptor}\n`));
  for (const command of below('Configure it')) t.regex(run(command), / in 9 objects in 2 files/);
});

it('killing the adapters under load fails no request that the fail policy lets through, and loses no report', async (t) => {
  const { rig, running, run, paths } = await start(t);
  const decisions: Promise<CheckDecision>[] = [];
  const reported: string[] = [];
  let isOver = false;
  const load = (async () => {
    for (let n = 0; !isOver; n++) {
      const path = `/${n}`;
      decisions.push(Promise.resolve(rig.check(request('key-of-ann', path), undefined, FAIL_OPEN)));
      rig.report(request('key-of-ann', path));
      reported.push(path);
      await delay(2);
    }
  })();
  let processes = running;
  for (let kills = 0; kills < 2; kills++) {
    const before = reported.length;
    await eventually('requests pass', () => reported.length > before + 100);
    for (const each of processes) each.child.kill('SIGKILL');
    await Promise.all(processes.map(({ exited }) => exited));
    const away = reported.length;
    await eventually('requests pass without the adapters', () => reported.length > away + 100);
    processes = await run();
  }
  await eventually('the adapter decides again', async () => {
    const { status } = await rig.check(request('unknown'), undefined, FAIL_OPEN);
    return status.code === 'UNAUTHENTICATED';
  });
  isOver = true;
  await load;
  const settled = await Promise.all(decisions);
  t.deepEqual([...new Set(settled.map(({ status }) => status.code))], ['OK']);
  const byFailPolicy = settled.filter(({ failure }) => failure === 'rule').length;
  t.true(byFailPolicy >= 100 && byFailPolicy < settled.length, `${byFailPolicy} of ${settled.length}`);
  await eventually('all reports are written', () => new Set(paths()).size === reported.length);
  t.deepEqual([...new Set(paths())].sort(), reported.toSorted());
  t.deepEqual(await rig.metric('policy_adapter_reports_lost_total{'), []);
  const sent = `policy_adapter_reports_sent_total{handler="handler/shop/audit"} ${reported.length}`;
  // The adapter writes before it answers.
  await eventually('all are counted', async () =>
    (await rig.metric('policy_adapter_reports_sent_total{')).includes(sent),
  );
});
