import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Registry } from 'prom-client';
import { systemClock } from '../../../src/base/clock.js';
import { createInjector } from '../../../src/bootstrap/injection/create-injector.js';
import { createSettingsKeeper } from '../../../src/bootstrap/settings-keeper.js';
import { createDefaultMeshConfig } from '../../../src/config/mesh/read-mesh-config.js';
import { createSchemaCompiler } from '../../../src/config/schema/schema-reader.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createReviewIntake } from '../../../src/webhooks/admission/review-intake.js';
import { eventually } from '../../support/eventually.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { type Reply, reviewOf } from '../../webhooks/fixtures/reviews.js';

async function create(
  t: ExecutionContext,
  files: Readonly<Record<string, string>>,
  defaultsDirectory?: string,
  capturesDns = false,
) {
  const directory = await mkdtemp(join(tmpdir(), 'navigator-injector-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  const write = async (file: string, content: string): Promise<void> => {
    await writeFile(join(directory, `.${file}`), content);
    await rename(join(directory, `.${file}`), join(directory, file));
  };
  for (const [file, content] of Object.entries(files)) await write(file, content);
  const logger = createRecordingLogger();
  const metrics = createMetrics(new Registry());
  let changes = 0;
  const injector = createInjector({
    ...(defaultsDirectory === undefined ? {} : { defaultsDirectory }),
    capturesDns,
    ...{ directory, logger, meshDomain: 'mesh.internal', revision: '', clock: systemClock },
    mesh: createDefaultMeshConfig,
    compiler: createSchemaCompiler(),
    metrics,
    keeper: createSettingsKeeper({
      ...{ connection: undefined, namespace: 'mesh-system', revision: '', metrics, logger, clock: systemClock },
    }),
    intake: createReviewIntake({ clock: systemClock }),
    onProxyImage: () => void changes++,
  });
  t.teardown(() => injector.stop());
  return { injector, write, logger, directory, changes: () => changes };
}

async function start(t: ExecutionContext, files: Readonly<Record<string, string>>) {
  const created = await create(t, files);
  await created.injector.start();
  return created;
}

/** Files as an installation ships them. */
async function shipped(t: ExecutionContext, files: Readonly<Record<string, string>>): Promise<string> {
  return (await create(t, files)).directory;
}

const config = (template: string): string => `policy: enabled\ntemplate: |\n  ${template}\n`;

test('without a config file the injector is off, which is no problem, and it is on when there is one', async (t) => {
  const { injector, write, logger } = await start(t, {});
  t.is(injector.template(), undefined);
  t.deepEqual(injector.problems(), []);
  t.is(logger.records.at(-1)?.message, 'sidecar injector is off: it has no configuration');
  await write('config', config('containers: []'));
  await eventually('the injector is on', () => injector.template() !== undefined);
  t.is(injector.template(), 'containers: []\n');
});

test('a config file that cannot be used ends the start with its line and the remedy', async (t) => {
  const { injector, directory } = await create(t, { config: 'policy: enabled\n' });
  const reason =
    'line 1: template: is missing; add it: The injected containers, volumes and other pod fields, as a Liquid template of YAML';
  await t.throwsAsync(injector.start(), {
    name: 'SettingsRefusedError',
    message: `${join(directory, 'config')}: settings are refused: ${reason}; correct them and start again`,
  });
  t.deepEqual(injector.problems(), [{ file: join(directory, 'config'), reason }]);
});

test('the image of the proxies of new pods comes from the values, and each change is told', async (t) => {
  const { injector, write, changes } = await start(t, { values: 'proxy: { image: "proxy:1" }\n' });
  t.is(injector.proxyImage(), undefined, 'the injector is off');
  await write('config', config('containers: []'));
  await eventually('the injector is on', () => injector.proxyImage() === 'proxy:1');
  const before = changes();
  await write('values', 'proxy: { image: "proxy:2" }\n');
  await eventually('the values are read', () => injector.proxyImage() === 'proxy:2');
  t.true(changes() > before);
});

for (const [variable, values, expected] of [
  ['without DNS_AGENT', 'dnsCapture: false\n', 'false'],
  ['with DNS_AGENT', '', 'true'],
  ['with DNS_AGENT and values of users against it', 'dnsCapture: false\n', 'false'],
] as const) {
  test(`${variable}, dnsCapture of the values is ${expected}`, async (t) => {
    const template = "containers: [{ name: mesh-proxy, image: 'dns-{{ Values.dnsCapture }}' }]";
    const { injector } = await create(
      t,
      { config: config(template), values },
      undefined,
      variable !== 'without DNS_AGENT',
    );
    await injector.start();
    const server = createServer((request, response) => void injector.endpoint(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => server.close());
    const object = { metadata: { name: 'web' }, spec: { containers: [{ name: 'app', image: 'app' }] } };
    const kind = { group: '', version: 'v1', kind: 'Pod' };
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/inject`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(reviewOf({ kind, resource: { group: '', version: 'v1', resource: 'pods' }, object })),
    });
    const { response } = (await answer.json()) as Reply;
    t.true(
      Buffer.from(response.patch ?? '', 'base64')
        .toString()
        .includes(`"dns-${expected}"`),
      JSON.stringify(response),
    );
  });
}

test('a values file that cannot be used ends the start as well', async (t) => {
  const { injector } = await create(t, { config: config('a'), values: '- a\n' });
  await t.throwsAsync(injector.start(), { message: /values: settings are refused: line 1: / });
});

for (const [title, content, reason] of [
  [
    'a selector that has to name values',
    `${config('a')}neverInjectSelector: [{ matchExpressions: [{ key: a, operator: In }] }]\n`,
    /neverInjectSelector\[0\]\.matchExpressions\[0\]\.values: \[\]: is empty, but In needs values; give at least one value/,
  ],
  [
    'values that an operator does not take',
    `${config('a')}alwaysInjectSelector: [{ matchExpressions: [{ key: a, operator: Exists, values: [b] }] }]\n`,
    /is set, but Exists takes no values; remove it/,
  ],
  [
    'an operator that there is not',
    `${config('a')}alwaysInjectSelector: [{ matchExpressions: [{ key: a, operator: Has }] }]\n`,
    /operator: "Has": is not one of the allowed values; use In, NotIn, Exists, DoesNotExist/,
  ],
  [
    'a policy that there is not, which would switch injection off',
    'policy: sometimes\ntemplate: a\n',
    /line 1: policy: "sometimes": is neither enabled nor disabled; use enabled or disabled/,
  ],
  [
    'a template that does not compile',
    config('{{ x | shout }}'),
    /line 2: template: does not compile: injection template: line 1, column \d+: undefined filter: shout/,
  ],
] as const) {
  test(`${title} is a problem of the config file`, async (t) => {
    const { injector } = await create(t, { config: content });
    await t.throwsAsync(injector.start(), { message: reason });
    t.regex(injector.problems()[0]?.reason ?? '', reason);
  });
}

test('files of users need only the differences from the files of the installation', async (t) => {
  const defaults = await shipped(t, { config: config('containers: []'), values: 'a: 1\n' });
  const { injector, write } = await create(t, { config: 'policy: disabled\n' }, defaults);
  await injector.start();
  t.is(injector.template(), 'containers: []\n');
  t.deepEqual(injector.problems(), []);
  await write('config', 'policy: never\n');
  await eventually('a bad change is told', () => injector.problems().length === 1);
  t.regex(injector.problems()[0]?.reason ?? '', /policy: "never": is neither enabled nor disabled/);
  await write('config', config('volumes: []'));
  await eventually('a template of users goes before that of the installation', () => {
    return injector.template() === 'volumes: []\n';
  });
  t.deepEqual(injector.problems(), []);
});

test('a broken further template is told with its name', async (t) => {
  const { injector, write } = await start(t, { config: config('containers: []') });
  await write('config', `${config('containers: []')}templates: { gateway: '{% if %}' }\n`);
  await eventually('the bad template is told', () => injector.problems().length === 1);
  t.regex(injector.problems()[0]?.reason ?? '', /templates\.gateway: .*does not compile/);
});

test('without files of users those of the installation are in force, and follow its upgrade', async (t) => {
  const defaults = await shipped(t, { config: config('containers: []') });
  const { injector } = await create(t, {}, defaults);
  await injector.start();
  t.is(injector.template(), 'containers: []\n');
  await writeFile(join(defaults, 'config'), config('volumes: []'));
  await eventually('the upgrade is in force', () => injector.template() === 'volumes: []\n');
});

test('a bad file of the installation ends the start', async (t) => {
  const defaults = await shipped(t, { config: 'policy: enabled\n' });
  const { injector } = await create(t, { config: config('containers: []') }, defaults);
  await t.throwsAsync(injector.start(), { name: 'SettingsRefusedError' });
});

test('a field that there is not is warned of', async (t) => {
  const { injector } = await start(t, { config: 'policy: enabled\ntemplate: a\nreinvoke: true\n' });
  t.like(injector.problems(), [{ level: 'Warn' }]);
  t.regex(injector.problems()[0]?.reason ?? '', /reinvoke: true: is not a known field/);
});

test('labels of selectors and injected annotations are fields like any other', async (t) => {
  const text = `${config('a')}alwaysInjectSelector: [{ matchLabels: { app: web } }]\ninjectedAnnotations: { owner: mesh }\n`;
  const { injector } = await start(t, { config: text });
  t.deepEqual(injector.problems(), []);
});

test('a bad change is told, and the last good files stay', async (t) => {
  const { injector, write } = await start(t, { config: config('containers: []'), values: 'a: 1\n' });
  await write('config', 'template: [\n');
  await eventually('the bad config is told', () => injector.problems().length === 1);
  t.is(injector.template(), 'containers: []\n');
  await write('values', '- a\n');
  await eventually('the bad values are told', () => injector.problems().length === 2);
  await write('config', config('volumes: []'));
  await write('values', 'a: 2\n');
  await eventually('both are in order again', () => injector.problems().length === 0);
  t.is(injector.template(), 'volumes: []\n');
});
