import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Counter, Registry } from 'prom-client';
import { type Clock, systemClock } from '../../src/base/clock.js';
import { createIntrospection } from '../../src/bootstrap/create-introspection.js';
import { createProfiler } from '../../src/bootstrap/profiling/profiler.js';
import { readProcessFacts } from '../../src/bootstrap/read-process-facts.js';
import { createPages, DISCOVERY_SITE } from '../../src/introspection/page-table.js';
import { createPprofPages } from '../../src/introspection/profiling/pprof-pages.js';
import { redactArguments, redactValue } from '../../src/introspection/topics/redact-settings.js';
import { createTopicPages } from '../../src/introspection/topics/topic-pages.js';
import { readBuildInfo } from '../../src/telemetry/build-info.js';
import { createLogging, type Logging } from '../../src/telemetry/logging.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { findFreePort } from '../counterparts/free-ports.js';
import { eventually } from '../support/eventually.js';
import { loggingOptions } from '../telemetry/logging-options.js';
import { type LogLine, recordingLogger, serve, views } from './fixtures/serve.js';

interface Answer {
  readonly status: number;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, unknown>>;
}

function send(port: number, method: string, path: string, body = '', headers: Record<string, string> = {}) {
  return new Promise<Answer>((resolve, reject) => {
    // A connection of its own: the server may be closing one that was kept.
    const call = request({ port, host: '127.0.0.1', method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks), headers: response.headers }),
      );
    });
    call.on('error', reject);
    call.end(body);
  });
}

async function open(t: ExecutionContext, clock: Clock = systemClock) {
  const registry = new Registry();
  new Counter({ name: 'books_total', help: 'Books.', labelNames: ['shelf'], registers: [registry] }).inc({
    shelf: 'a',
  });
  const logging = createLogging(loggingOptions({ logAsJson: false }), { now: systemClock.now, sinks: [] });
  const build = { version: '1.2.3', revision: 'abc', runtime: 'node v20', status: 'Clean', tag: 'v1' };
  const done: string[] = [];
  const facts = {
    ...readProcessFacts({ logging, registry, build, clock: systemClock }),
    environment: () => [['B_TOKEN', 'hunter2'] as const, ['A', 'redis://user:hunter2@redis'] as const],
    signal: () => void done.push('signal'),
    exit: () => void done.push('exit'),
  };
  const pages = [
    ...createTopicPages(DISCOVERY_SITE, facts),
    ...createPages(DISCOVERY_SITE, createPprofPages(createProfiler(clock))),
  ];
  const { port } = await serve(t, { pages });
  const json = async (path: string) => JSON.parse((await send(port, 'GET', path)).body.toString());
  return { port, json, done, logging };
}

test('the level of a scope changes while the process runs, and unknown levels change nothing', async (t) => {
  const { port, json, logging } = await open(t);
  const put = (name: string, body: string) => send(port, 'PUT', `/scopej/${name}`, body);
  t.is((await put('ads', '{"output_level":"debug","log_callers":true}')).status, 202);
  t.is((await put('ads', '{"output_level":"loud","stack_trace_level":"error"}')).status, 202);
  t.deepEqual(await json('/scopej/ads'), {
    name: 'ads',
    description: 'discovery of proxies: connections, responses, rejections',
    output_level: 'debug',
    stack_trace_level: 'error',
    log_callers: true,
  });
  t.true(logging.scope('ads').isDebugEnabled());
  t.false(logging.scope('model').isDebugEnabled());
  t.is((await json('/scopej/')).length, logging.scopes().size);
  const unknown = await put('nix', '{}');
  t.deepEqual([unknown.status, unknown.body.toString()], [400, 'unknown scope name: nix\n']);
  const bad = await put('ads', '{');
  t.deepEqual([bad.status, bad.body.toString()], [400, 'unable to decode request\n']);
});

test('requests of other origins change nothing', async (t) => {
  const { port, json, done } = await open(t);
  const form = 'name=ads&output_level=debug';
  for (const headers of [
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { host: 'evil.example' },
  ] as Record<string, string>[]) {
    t.is((await send(port, 'POST', '/scopez/', form, headers)).status, 403);
    t.is((await send(port, 'PUT', '/homej/exit', '', headers)).status, 403);
    t.is((await send(port, 'POST', '/signalj/SIGUSR1', '', headers)).status, 403);
  }
  t.is((await json('/scopej/ads')).output_level, 'info');
  t.deepEqual(done, []);
  const own = await send(port, 'POST', '/scopez/', form, { origin: `http://127.0.0.1:${port}` });
  t.deepEqual([own.status, own.headers['location']], [303, '/scopez/']);
  t.is((await json('/scopej/ads')).output_level, 'debug');
});

test('the topics answer the process as JSON, without secrets', async (t) => {
  const { port, json, done } = await open(t);
  t.deepEqual(await json('/envj/'), [
    { name: 'A', value: 'redis://[redacted]@redis' },
    { name: 'B_TOKEN', value: '[redacted]' },
  ]);
  t.is((await json('/procj/')).pid, process.pid);
  t.true((await json('/memj/')).HeapAlloc > 0);
  t.like(await json('/versionj/'), { version: '1.2.3', revision: 'abc' });
  t.deepEqual(await json('/metricj/'), [{ name: 'books_total', labels: { shelf: 'a' }, value: 1 }]);
  t.deepEqual(Object.keys(await json('/homej/')), [
    'ProcessName',
    'HeapSize',
    'NumGC',
    'CurrentTime',
    'Hostname',
    'IP',
  ]);
  t.is((await send(port, 'PUT', '/memj/forcecollection')).status, 202);
  t.is((await send(port, 'PUT', '/signalj/SIGUSR1')).status, 202);
  t.is((await send(port, 'POST', '/signalj/SIGKILL')).status, 404);
  t.is((await send(port, 'PUT', '/homej/exit')).status, 202);
  t.deepEqual(done, ['signal', 'exit']);
  t.is((await send(port, 'DELETE', '/scopej/ads')).status, 405);
  t.is((await send(port, 'PUT', '/debug/mesh')).status, 405);
});

test('--introspect_address and --introspect_port decide where the facility listens, and a port in use is only logged', async (t) => {
  const port = await findFreePort();
  const lines: LogLine[] = [];
  const registry = new Registry();
  const logging = { scope: () => recordingLogger(lines), scopes: () => new Map() } as unknown as Logging;
  const start = async () => {
    const facility = createIntrospection({
      common: { introspectAddress: 'localhost', introspectPort: port },
      process: { registry, metrics: createMetrics(new Registry()), build: readBuildInfo() },
      views: views(),
      site: DISCOVERY_SITE,
      pages: (site) => createPages(site),
      logging,
      clock: systemClock,
    });
    t.teardown(() => facility.stop());
    await facility.start();
  };
  await start();
  t.is((await send(port, 'GET', '/scopej/')).body.toString(), '[]\n');
  const home = await send(port, 'GET', '/');
  t.true(home.body.includes('href="/scopez/"'));
  t.is((await send(port, 'GET', '/debug/proxies')).status, 200);
  await start();
  t.deepEqual(
    lines.map(({ level, message }) => `${level} ${message}`),
    [
      'info introspection facility is ready',
      'warn introspection facility could not be opened; the process serves without it',
    ],
  );
});

const REDACTED = '[redacted]';
for (const [name, value, shown] of [
  ['NAV_TOKEN', 'abc', REDACTED],
  ['REDIS_PASSWORD', 'abc', REDACTED],
  ['AWS_SECRET_ACCESS_KEY', 'abc', REDACTED],
  ['MY_API_KEY', 'abc', REDACTED],
  ['SOME_AUTH', 'true', 'true'],
  ['TOKEN_ISSUER', 'https://issuer.example', REDACTED],
  ['CREDENTIAL_FILE', '/etc/keys/a', '/etc/keys/a'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=Bearer abc', REDACTED],
  ['NAV_HTTP_HEADERS_TIMEOUT', '5s', '5s'],
  ['HOME', '/root', '/root'],
] as const) {
  test(`the variable ${name} is shown as ${shown}`, (t) => t.is(redactValue(name, value), shown));
}

test('the command line is shown without the values of secret flags', (t) => {
  t.deepEqual(redactArguments(['node', '--token', 'abc', '--password=abc', '--httpAddr', ':8080', 'http://a:b@c/']), [
    'node',
    '--token',
    REDACTED,
    `--password=${REDACTED}`,
    '--httpAddr',
    ':8080',
    `http://${REDACTED}@c/`,
  ]);
});

// Alone: this process is blocked while the tool runs.
test.serial('go tool pprof opens the profiles, and one profile is made at a time', async (t) => {
  t.timeout(120_000);
  let scheduled: { readonly delayMs: number; readonly end: () => void } | undefined;
  // The profile ends when the test says so.
  const schedule: Clock['schedule'] = (delayMs, callback) => {
    scheduled = { delayMs, end: callback };
    return () => undefined;
  };
  const { port } = await open(t, { ...systemClock, schedule });
  const folder = mkdtempSync(join(tmpdir(), 'profiles-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  // Allocated before the profile is asked for, and live.
  const allocateLongAgo = (): readonly object[] => Array.from({ length: 200_000 }, (_, index) => ({ index }));
  const kept = allocateLongAgo();
  const profile = send(port, 'GET', '/debug/pprof/profile?seconds=1');
  const { delayMs, end } = await eventually('a profile is made', () => scheduled);
  const second = await send(port, 'GET', '/debug/pprof/heap');
  const burn = (): number => Array.from({ length: 3_000 }, (_, index) => Math.sqrt(index)).sort()[0] ?? 0;
  for (let round = 0; round < 200; round++) burn();
  end();
  const files = {
    profile: await profile,
    heap: await send(port, 'GET', '/debug/pprof/heap'),
    goroutine: await send(port, 'GET', '/debug/pprof/goroutine'),
  };
  t.is(second.status, 503);
  t.is(delayMs, 1000);
  for (const [name, { status, body }] of Object.entries(files)) {
    t.is(status, 200, name);
    writeFileSync(join(folder, name), body);
  }
  for (const seconds of ['0', '51', 'x', '']) {
    t.is((await send(port, 'GET', `/debug/pprof/profile?seconds=${seconds}`)).status, 400, seconds);
  }
  const relayed = await send(port, 'GET', '/debug/pprof/goroutine', '', { 'x-forwarded-for': '10.0.0.1' });
  t.is(relayed.status, 403);
  // Go is a counterpart of other tests, and not everywhere.
  if (spawnSync('go', ['version'], { stdio: 'ignore' }).status !== 0) return;
  const top = (name: string): string =>
    execFileSync('go', ['tool', 'pprof', '-top', join(folder, name)], { encoding: 'utf8' });
  t.regex(top('profile'), /Type: cpu[\s\S]*burn|Type: cpu[\s\S]*sort/);
  t.regex(top('heap'), /Type: inuse_space[\s\S]*allocateLongAgo/);
  t.is(kept.length, 200_000);
  t.regex(top('goroutine'), /Type: goroutine[\s\S]*TCPServerWrap/);
});
