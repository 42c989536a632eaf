import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { findFreePorts } from '../counterparts/free-ports.js';
import { startManagedProcess } from '../counterparts/managed-process.js';
import { projectRoot } from '../counterparts/project-root.js';
import { eventually } from '../support/eventually.js';
import { type CommandBlock, commandBlocksOf, isAsShown } from '../support/page-commands.js';

const ROOT = projectRoot();
const PAGES = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((file) => `docs/${file}`)].filter((page) =>
  page.endsWith('.md'),
);
const HERE = 'the test below';
const IN_CLUSTER =
  'test/e2e/first-steps.test.ts: the commands of the pages about settings, injection, gateways and certificates run as they are shown';
const OPERATIONS = 'test/e2e/operations.test.ts: ';
const COMMANDS = 'test/docs/commands.test.ts: the commands of docs/commands.md print the output that the page shows';
const ADAPTERS = 'test/policy/own-adapters/sample-adapters.test.ts: ';
const KUBECTL = 'test/manifests/cluster.test.ts: ';

/**
 * Who runs the commands below a heading: this file, a test that reads or repeats them (file: title), or nobody, with the
 * reason.
 */
const RUN_BY: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // Of the servers, only the help is run: npm start runs the same server.
  'README.md': { 'Try it': HERE, 'Run it': HERE },
  'docs/adapters.md': {
    'Describe what the adapter gets': `${ADAPTERS}the commands of docs/adapters.md describe and check the samples`,
    // Its programs are built and started as the page says, on other ports.
    'Write the program': `${ADAPTERS}the adapters of the samples decide, tell plans and take reports`,
    'Configure it': `${ADAPTERS}the commands of docs/adapters.md describe and check the samples`,
  },
  'docs/analysis.md': { 'In pipelines': HERE },
  'docs/certificates.md': { 'Use a CA of your own': IN_CLUSTER, 'Replace a leaked key': IN_CLUSTER },
  'docs/commands.md': {
    'Which proxy lags, and why': COMMANDS,
    'Why a request gets 401, 403, 429 or 503': COMMANDS,
    'Is the installation healthy': COMMANDS,
    'Does a configuration have mistakes': COMMANDS,
  },
  'docs/debug-pages.md': { 'The mesh': HERE },
  'docs/dns.md': { DNS: HERE },
  'docs/gateways.md': { 'Install an ingress gateway': IN_CLUSTER },
  'docs/injection.md': { 'Sidecar injection': IN_CLUSTER, 'Change what is injected': IN_CLUSTER },
  'docs/introspection.md': {
    Introspection: HERE,
    Profiles: 'test/introspection/topics.test.ts: go tool pprof opens the profiles, and one profile is made at a time',
  },
  'docs/kubernetes.md': {
    // `docker build` needs Docker.
    Install: 'test/e2e/first-steps.test.ts: after an install, kubectl diff shows no difference',
    'Build without Docker':
      'test/image/image.test.ts: npm run image makes an image that starts as its Dockerfile says, and serves',
    'Install with Helm': 'test/manifests/chart.test.ts: an installed chart differs in nothing from manifests/',
    'First steps': 'test/e2e/first-steps.test.ts: the first steps of docs/kubernetes.md',
    Settings: IN_CLUSTER,
    'Replicas and quotas': `${KUBECTL}the API server accepts every object of manifests/ in a dry run`,
    'Check the installation': 'test/e2e/first-steps.test.ts: the commands that check an installation',
    'Run outside the cluster': `${KUBECTL}kubectl apply installs everything, and a second apply changes nothing`,
    'Several clusters':
      'test/bootstrap/multicluster-docs.test.ts: a cluster joins by the commands of docs/kubernetes.md',
  },
  'docs/operations.md': {
    'Are checks on': 'test/e2e/first-steps.test.ts: the first steps of docs/kubernetes.md',
    Upgrade: `${OPERATIONS}the upgrade runbook: a new version takes over`,
    'Canary upgrade': `${OPERATIONS}the canary runbook: a namespace moves to another revision and back`,
    Restart: `${OPERATIONS}the restart runbook: the only replica is replaced`,
    'Scale to zero': `${OPERATIONS}the runbook to scale to zero and back`,
    Uninstall: `${OPERATIONS}the uninstall runbook leaves no object behind`,
  },
  'docs/plans.md': { 'An example': HERE },
  'docs/proxyless-grpc.md': { 'Set up a client': HERE },
  // Its objects and ages are examples.
  'docs/status.md': { 'Status in the cluster': 'test/bootstrap/status/status-writes.test.ts: NAME | ACCEPTED | REFS' },
  'docs/tracing.md': {
    'Traces of changes': 'test/tracing/tracing.test.ts: each variable of OpenTelemetry that is supported',
  },
  'docs/troubleshooting.md': { 'A request gets 429': HERE },
};

const blocks = PAGES.flatMap((page) => commandBlocksOf(page));

test('each command of a page is run by a test, or says why not', (t) => {
  const headings = [...new Set(blocks.map(({ page, heading }) => `${page}: ${heading}`))];
  const named = Object.entries(RUN_BY).flatMap(([page, rows]) => Object.keys(rows).map((row) => `${page}: ${row}`));
  t.deepEqual(
    headings.filter((heading) => !named.includes(heading)),
    [],
    'headings without a row',
  );
  t.deepEqual(
    named.filter((heading) => !headings.includes(heading)),
    [],
    'rows without commands',
  );
});

test('the tests that run the commands of pages exist', (t) => {
  for (const rows of Object.values(RUN_BY)) {
    for (const who of Object.values(rows)) {
      const [, file, title] = /^(test\/\S+\.ts): (.+)$/.exec(who) ?? [];
      if (file === undefined || title === undefined) continue;
      t.true(existsSync(join(ROOT, file)), file);
      t.true(readFileSync(join(ROOT, file), 'utf8').includes(title), who);
    }
  }
});

/** The mesh of `npm start`, on free ports, and a folder whose commands are the programs of this build. */
async function startMesh(t: ExecutionContext) {
  const [http = 0, monitoring = 0, xds = 0, secure = 0, policy = 0, dns = 0, introspection = 0] =
    await findFreePorts(7);
  const addresses = {
    httpAddr: http,
    monitoringAddr: monitoring,
    grpcAddr: xds,
    secureGRPCAddr: secure,
    policyAddr: policy,
  };
  const flags = Object.entries(addresses).flatMap(([flag, port]) => [`--${flag}`, `127.0.0.1:${port}`]);
  const start = startManagedProcess({
    name: 'npm start',
    command: ['npm', '--prefix', ROOT, 'start', '--', ...flags, '--introspect_port', String(introspection)],
    env: { SKIP_SET_UP: '1', DNS_ADDR: `127.0.0.1:${dns}` },
  });
  const folder = await mkdtemp(join(tmpdir(), 'navigator-pages-'));
  t.teardown(async () => {
    await start.stop('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });
  await eventually(
    'npm start serves the sample mesh',
    () => {
      if (!start.isRunning()) throw new Error(start.tail());
      return start.lines.some((line) => line.includes('serves the sample mesh'));
    },
    { timeoutMs: 60_000 },
  );
  const ports: Readonly<Record<string, number>> = { 8080: http, 9876: introspection, 15014: monitoring, 15053: dns };
  for (const program of ['navigator-discovery', 'navigator-policy']) {
    const text = `#!/bin/sh\nexec '${process.execPath}' '${ROOT}/build/programs/${program}.js' "$@"\n`;
    await writeFile(join(folder, program), text, { mode: 0o755 });
  }
  return {
    folder,
    /** Runs a command in the folder; its output includes its errors. */
    run: (command: string) => {
      const here = Object.entries(ports).reduce(
        (text, [port, own]) => text.replaceAll(new RegExp(`(127\\.0\\.0\\.1:|localhost:|-p )${port}`, 'g'), `$1${own}`),
        command.replaceAll('npx navigator', 'navigator'),
      );
      const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
      const { status, stdout, stderr } = spawnSync('sh', ['-ec', here], { cwd: folder, encoding: 'utf8', env });
      return { status, output: stdout + stderr };
    },
  };
}

/** Fourteen lines, of which the last one is wrong. */
const ROUTES = `{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}
---
apiVersion: networking.mesh.internal/v1beta1
kind: ServiceEntry
metadata:
  name: payments
  namespace: shop
spec:
  hosts: [payments.example.com]
  resolution: DNS
  ports:
    - {number: 0, name: https, protocol: HTTPS}
`;

const below = (page: string, heading: string): readonly CommandBlock[] =>
  blocks.filter((block) => block.page === page && block.heading === heading);

test('npm start serves the mesh of the samples, and the commands of the pages print what the pages show', async (t) => {
  const { folder, run } = await startMesh(t);
  for (const block of [
    ...below('docs/debug-pages.md', 'The mesh'),
    ...below('docs/introspection.md', 'Introspection'),
    ...below('docs/plans.md', 'An example'),
    ...below('docs/troubleshooting.md', 'A request gets 429'),
  ]) {
    for (const { command, output } of block.commands) {
      const result = run(command);
      t.is(result.status, 0, `${command}${result.output}`);
      t.true(
        output === undefined || isAsShown(result.output.replace(/^ *%[\s\S]*?\r[\s\S]*$/m, ''), output),
        `${command}${result.output}`,
      );
    }
  }
  const [, curls] = below('README.md', 'Try it');
  for (const line of curls?.text.trim().split('\n') ?? []) {
    const { status, output } = run(line);
    t.is(status, 0, line);
    t.notThrows(() => JSON.parse(output), line);
  }
  const [names] = below('docs/dns.md', 'DNS');
  const [byName = '', service = '', ...others] = names?.text.trim().split('\n') ?? [];
  for (const line of [byName, service]) t.regex(run(line).output, /status: NOERROR[\s\S]*ANSWER SECTION/, line);
  // An upstream server may be missing, but the listener answers.
  for (const line of others) t.regex(run(line).output, /status: [A-Z]+/, line);
  for (const { text } of below('docs/proxyless-grpc.md', 'Set up a client')) {
    const { status, output } = run(text);
    t.is(status, 0, output);
  }
  const helps = below('README.md', 'Run it').flatMap(({ text }) =>
    text.split('\n').filter((line) => line.includes('--help')),
  );
  t.is(helps.length, 2);
  for (const line of helps) t.regex(run(line).output, /--meshConfig|--policyConfig/, line);

  await mkdir(join(folder, 'routes'));
  await writeFile(join(folder, 'routes/reviews.yaml'), ROUTES);
  const [analyze] = below('docs/analysis.md', 'In pipelines').flatMap(({ commands }) => commands);
  const found = run(analyze?.command ?? '');
  t.is(found.status, 2);
  t.true(isAsShown(found.output, analyze?.output ?? ''), found.output);
});
