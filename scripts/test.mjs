// npm test: installs and builds when needed, obtains the counterparts, runs all tests, and closes with one
// line `N passed, N failed, N skipped`. Arguments go to ava: npm test -- test/xds/proxy-session.test.ts
// REQUIRE_COUNTERPARTS=1 makes a counterpart that cannot be had a failure.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createAvaReader } from './ava-results.mjs';
import { endWithNpm } from './end-with-npm.mjs';
import { obtainImagePackages } from './image/obtain-packages.mjs';
import { obtainAdapters } from './obtain-adapters.mjs';
import { obtainEnvoy } from './obtain-envoy.mjs';
import { obtainGatewayApi } from './obtain-gateway-api.mjs';
import { obtainGrpcClients } from './obtain-grpc-clients.mjs';
import { obtainHelm } from './obtain-helm.mjs';
import { obtainOtlpDecoder } from './obtain-otlp-decoder.mjs';
import { obtainPrometheusParser } from './obtain-prometheus-parser.mjs';
import {
  obtainChromium,
  obtainClusterTools,
  obtainPageTools,
  obtainRedis,
  obtainSystemTools,
} from './obtain-system-tools.mjs';
import { obtainTestcluster } from './obtain-testcluster.mjs';
import { projectRoot, setUp } from './set-up.mjs';
import { bold, note, red, warn } from './terminal.mjs';

/** The slowest files that a whole run names at its end. */
const SLOWEST_SHOWN = 10;
const AVA = join(projectRoot, 'node_modules/ava/entrypoints/cli.mjs');

/** The tests that run real proxies or a real Kubernetes come last. */
const COUNTERPART_TESTS = ['test/counterparts', 'test/attacks', 'test/e2e', 'test/sources/kubernetes/cluster'];

/** The tests of `test/e2e` that compare waits of users with limits. */
const TIMED_E2E = ['certificate-rotation', 'changes-under-load', 'policy-change', 'policy-rules'].map(
  (name) => `test/e2e/${name}.test.ts`,
);

/** Attacks that take little of the processor. */
const QUIET_ATTACKS = ['invented-data', 'waiting-peers'].map((name) => `test/attacks/${name}.test.ts`);

/**
 * The concurrency is the number of files that run at once. Most files wait for conditions part of their time, which leaves
 * processors to others. Loud attacks and tests that measure time have the machine for themselves.
 */
const PHASES = [
  {
    title: 'without proxies and clusters',
    concurrency: 4,
    files: ['test/**/*.test.ts', ...COUNTERPART_TESTS.map((folder) => `!${folder}/**`)],
  },
  {
    title: 'with proxies and clusters',
    concurrency: 3,
    files: [
      ...COUNTERPART_TESTS.filter((folder) => folder !== 'test/attacks').map((folder) => `${folder}/**/*.test.ts`),
      ...TIMED_E2E.map((file) => `!${file}`),
    ],
  },
  { title: 'quiet attacks', concurrency: 2, files: QUIET_ATTACKS },
  {
    title: 'loud attacks and timed tests, one at a time',
    concurrency: 1,
    files: ['test/attacks/**/*.test.ts', ...QUIET_ATTACKS.map((file) => `!${file}`), ...TIMED_E2E],
  },
];

/** Missing counterparts with the reason, one line each. */
function obtainCounterparts() {
  const missing = [];
  if (process.platform === 'linux' && process.getuid() !== 0) {
    missing.push('network namespaces in which all traffic is captured: they need root (run: sudo npm test)');
  } else {
    const tools = obtainSystemTools();
    if (tools.missing !== undefined) missing.push(`network namespaces: ${tools.missing}`);
  }
  const envoy = obtainEnvoy();
  if (envoy.missing !== undefined) missing.push(`Envoy: ${envoy.missing}`);
  const redis = obtainRedis();
  if (redis.missing !== undefined) missing.push(`Redis: ${redis.missing}`);
  const chromium = obtainChromium();
  if (chromium.missing !== undefined) missing.push(`Chromium: ${chromium.missing}`);
  const testcluster = obtainTestcluster();
  if (testcluster.missing !== undefined) missing.push(`Kubernetes: ${testcluster.missing}`);
  const gatewayApi = obtainGatewayApi();
  if (gatewayApi.missing !== undefined) missing.push(`CRDs of the Gateway API: ${gatewayApi.missing}`);
  missing.push(...obtainGrpcClients());
  const adapters = obtainAdapters();
  if (adapters.missing !== undefined) missing.push(`adapter in Go: ${adapters.missing}`);
  const otlp = obtainOtlpDecoder();
  if (otlp.missing !== undefined) missing.push(`decoder of traces: ${otlp.missing}`);
  const prometheus = obtainPrometheusParser();
  if (prometheus.missing !== undefined) missing.push(`parser of metrics: ${prometheus.missing}`);
  const helm = obtainHelm();
  if (helm.missing !== undefined) missing.push(`Helm: ${helm.missing}`);
  const tools = obtainClusterTools();
  if (tools.missing !== undefined) missing.push(`pods and manifests in Kubernetes: ${tools.missing}`);
  const image = obtainImagePackages();
  if (image.missing !== undefined) missing.push(`packages of the image: ${image.missing}`);
  const pages = obtainPageTools();
  if (pages.missing !== undefined) missing.push(`commands of the pages: ${pages.missing}`);
  return missing;
}

/** Runs ava, prints its output, and returns its results. */
async function runAva(args) {
  const reader = createAvaReader();
  const ava = spawn(process.execPath, [AVA, ...args], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}) },
  });
  endWithNpm(ava);
  createInterface({ input: ava.stdout }).on('line', (line) => {
    reader.feed(line);
    process.stdout.write(`${line}\n`);
  });
  const code = await new Promise((resolve) => {
    ava.on('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    ava.on('close', resolve);
  });
  const results = reader.results();
  // ava fails for more than tests: a file that does not load, a pattern that finds nothing.
  if (code !== 0 && results.failed === 0) {
    process.stdout.write(`${red('✘')} ava ended with ${code}\n`);
    results.failed = 1;
  }
  return results;
}

setUp();
const missing = obtainCounterparts();
const required = process.env.REQUIRE_COUNTERPARTS === '1';
for (const reason of missing) warn(`${bold('Missing counterpart')}: ${reason}`);
if (missing.length > 0 && !required) {
  warn('Tests that need it are skipped and listed below; REQUIRE_COUNTERPARTS=1 makes that a failure.');
}

note('Running tests …');
const total = { passed: 0, failed: required ? missing.length : 0, skipped: [], failures: [] };
const detailsOfPhases = [];
const chosen = process.argv.slice(2);
/** Seconds of the slowest test by file. */
const slowest = new Map();
const minutesOfPhases = [];
const phases = PHASES.map(({ title, concurrency, files }) => ({
  title,
  args: [`--concurrency=${concurrency}`, ...files],
}));
for (const { title, args } of chosen.length > 0 ? [{ title: 'chosen', args: chosen }] : phases) {
  const startedMs = performance.now();
  const { passed, failed, skipped, failures, details, durations } = await runAva(args);
  minutesOfPhases.push(`${((performance.now() - startedMs) / 60_000).toFixed(1)} min ${title}`);
  for (const { file, seconds } of durations) slowest.set(file, Math.max(seconds, slowest.get(file) ?? 0));
  total.passed += passed;
  total.failed += failed;
  total.skipped.push(...skipped);
  total.failures.push(...failures);
  detailsOfPhases.push(failed > 0 ? details : []);
}

if (total.skipped.length > 0) {
  warn(`${bold('Skipped')}${missing.length > 0 ? `, for want of ${missing.join('; ')}` : ''}:`);
  for (const title of total.skipped) process.stdout.write(`    ${title}\n`);
}
// The output of the last phase pushed these out of sight.
for (const line of detailsOfPhases.slice(0, -1).flat()) process.stdout.write(`${line}\n`);
if (total.failures.length > 0) {
  warn(`${bold('Failed')}:`);
  for (const title of total.failures) process.stdout.write(`    ${title}\n`);
}
if (chosen.length === 0) {
  note('Slowest files, by their slowest test:');
  const files = [...slowest].sort(([, one], [, other]) => other - one).slice(0, SLOWEST_SHOWN);
  for (const [file, seconds] of files) process.stdout.write(`    ${seconds.toFixed(1)} s  ${file}\n`);
  note(`Phases: ${minutesOfPhases.join(', ')}`);
}
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped.length} skipped\n`);
process.exitCode = total.failed > 0 ? 1 : 0;
