import test from 'ava';
import { SourceError } from '../../../src/sources/source-error.js';
import { eventually } from '../../support/eventually.js';
import { createFolderHarness, hostsOf, serviceEntry, startHarness } from '../support/folder-harness.js';

test('a folder is read recursively, in every format, before the start settles', async (t) => {
  const harness = await createFolderHarness(t);
  await harness.folder.write('a.yaml', `${serviceEntry('one')}---\n${serviceEntry('two')}`);
  await harness.folder.write('deep/er/b.yml', serviceEntry('three'));
  await harness.folder.write(
    'c.json',
    '{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"a": "b"}}}',
  );
  await harness.folder.write('notes.txt', 'not: [read');
  await startHarness(harness);
  t.deepEqual([...harness.objects.keys()].sort(), [
    'Namespace//shop',
    'ServiceEntry/default/one',
    'ServiceEntry/default/three',
    'ServiceEntry/default/two',
  ]);
  t.is(harness.batches.length, 1);
  t.is(harness.batches[0]?.cluster, 'files');
  t.deepEqual(harness.source.reports(), []);
});

test('an empty folder starts without a batch', async (t) => {
  const harness = await createFolderHarness(t);
  await startHarness(harness);
  t.deepEqual(harness.batches, []);
});

test('a missing folder ends the start with an error that names the remedy', async (t) => {
  const harness = await createFolderHarness(t, { directory: '/nowhere/to/be/found' });
  const error = await t.throwsAsync(startHarness(harness), { instanceOf: SourceError });
  t.is(error.code, 'DIRECTORY_MISSING');
  t.is(
    error.message,
    'the configuration folder /nowhere/to/be/found does not exist; create it, or name another with --configDir',
  );
});

test('a file in place of the folder stops the start', async (t) => {
  const other = await createFolderHarness(t);
  await other.folder.write('a.yaml', '');
  const harness = await createFolderHarness(t, { directory: other.folder.at('a.yaml') });
  const error = await t.throwsAsync(startHarness(harness), { instanceOf: SourceError });
  t.is(error.code, 'NOT_A_DIRECTORY');
});

test('the items of a List are objects of their own', async (t) => {
  const harness = await createFolderHarness(t);
  await harness.folder.write(
    'list.yaml',
    `apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Namespace, metadata: {name: a}}
  - apiVersion: v1
    kind: ServiceList
    items:
      - {metadata: {name: web, namespace: a}, spec: {ports: [{port: 80}]}}
`,
  );
  await startHarness(harness);
  t.deepEqual([...harness.objects.keys()].sort(), ['Namespace//a', 'Service/a/web']);
});

test('a change, a new file in a new folder, and a removal each arrive as the real changes alone', async (t) => {
  const harness = await createFolderHarness(t);
  await harness.folder.write('a.yaml', `${serviceEntry('one')}---\n${serviceEntry('two')}`);
  await startHarness(harness);

  await harness.folder.write(
    'a.yaml',
    `# a comment\n${serviceEntry('one')}---\n${serviceEntry('two', 'new.example.com')}`,
  );
  await eventually('the change arrives', () => harness.batches.length === 2);
  t.deepEqual(
    harness.batches[1]?.changes.map((change) => change.type),
    ['upsert'],
  );
  t.deepEqual(hostsOf(harness), ['new.example.com', 'one.example.com']);

  await harness.folder.write('later/on/b.yaml', serviceEntry('three'));
  await eventually('the new file arrives', () => harness.objects.size === 3);

  await harness.folder.remove('later');
  await eventually('the removal arrives', () => harness.objects.size === 2);
  t.deepEqual(harness.batches.at(-1)?.changes, [
    { type: 'delete', kind: 'ServiceEntry', namespace: 'default', name: 'three' },
  ]);
});

test('a file that is replaced by renaming another over it is read again', async (t) => {
  const harness = await createFolderHarness(t);
  await harness.folder.write('a.yaml', serviceEntry('one', 'v1.example.com'));
  await startHarness(harness);
  for (const version of ['v2', 'v3', 'v4']) {
    await harness.folder.write('a.yaml', serviceEntry('one', `${version}.example.com`));
    await eventually(`${version} arrives`, () => hostsOf(harness)[0] === `${version}.example.com`);
  }
  t.deepEqual(hostsOf(harness), ['v4.example.com']);
});

test('a file that is written in place is read again', async (t) => {
  const harness = await createFolderHarness(t, { rescanMs: 600_000 });
  await harness.folder.write('a.yaml', serviceEntry('one'));
  await startHarness(harness);
  for (const host of ['second.example.com', 'the-third.example.com']) {
    await harness.folder.overwrite('a.yaml', serviceEntry('one', host));
    await eventually(`${host} arrives`, () => hostsOf(harness)[0] === host);
  }
  t.deepEqual(harness.source.reports(), []);
});

test('a file that does not parse is reported with its place, and its last good state is served', async (t) => {
  const harness = await createFolderHarness(t);
  await harness.folder.write('a.yaml', `${serviceEntry('one')}---\n${serviceEntry('two')}`);
  await harness.folder.write('b.yaml', serviceEntry('other'));
  await startHarness(harness);

  await harness.folder.write('a.yaml', `${serviceEntry('changed')}---\nkind: [\nx: y\n`);
  await eventually('the problem is reported', () => harness.source.reports().length > 0);
  const [report] = harness.source.reports();
  t.is(report?.file, 'a.yaml');
  t.is(report?.document, 2);
  t.true((report?.line ?? 0) >= 12, String(report?.line));
  t.regex(report?.reason ?? '', /^is not valid YAML/);
  t.true(report?.since instanceof Date);
  t.deepEqual(hostsOf(harness), ['one.example.com', 'other.example.com', 'two.example.com']);

  await harness.folder.write('b.yaml', serviceEntry('other', 'moved.example.com'));
  await eventually('the other file is served on', () => hostsOf(harness).includes('moved.example.com'));
  t.is(harness.source.reports().length, 1);

  await harness.folder.write('a.yaml', serviceEntry('one'));
  await eventually('the problem is gone', () => harness.source.reports().length === 0);
  t.deepEqual(hostsOf(harness), ['moved.example.com', 'one.example.com']);
  t.true(harness.log.some((entry) => entry.message === 'configuration is in order again'));
});

test('a file that does not validate names object, field, line, value and remedy, each in a line of its own', async (t) => {
  const harness = await createFolderHarness(t);
  await harness.folder.write(
    'bad.yaml',
    `# comment\n${serviceEntry('fine')}---\n${serviceEntry('shop').replace('number: 80', 'number: 99999').replace('hosts', 'hoosts')}`,
  );
  await startHarness(harness);
  t.deepEqual(harness.batches, []);
  const shown = harness.source.reports().map(({ since: _, ...report }) => report);
  t.deepEqual(shown, [
    {
      file: 'bad.yaml',
      document: 2,
      line: 18,
      key: 'ServiceEntry/default/shop',
      field: 'spec.hoosts',
      reason: 'ServiceEntry default/shop: spec.hoosts: a list of 1: is not a known field; did you mean hosts?',
    },
    {
      file: 'bad.yaml',
      document: 2,
      line: 17,
      key: 'ServiceEntry/default/shop',
      field: 'spec.hosts',
      reason:
        'ServiceEntry default/shop: spec.hosts: is missing; add it: DNS names of the service. The first label may be a wildcard (*.example.com); * alone is not allowed',
    },
    {
      file: 'bad.yaml',
      document: 2,
      line: 20,
      key: 'ServiceEntry/default/shop',
      field: 'spec.ports[0].number',
      reason: 'ServiceEntry default/shop: spec.ports[0].number: 99999: is out of range; use 1 to 65535',
    },
  ]);
  const logged = harness.log.filter((entry) => entry.level === 'error');
  t.is(logged.length, 3);
  t.is(logged[0]?.fields['file'], 'bad.yaml');
});

test('of two objects with one name the first by path stays, and the second takes over when it goes', async (t) => {
  const harness = await createFolderHarness(t);
  await harness.folder.write('a.yaml', serviceEntry('same', 'a.example.com'));
  await harness.folder.write('b.yaml', `${serviceEntry('own')}---\n${serviceEntry('same', 'b.example.com')}`);
  await startHarness(harness);
  t.deepEqual(hostsOf(harness), ['a.example.com', 'own.example.com']);
  t.is(
    harness.source.reports()[0]?.reason,
    'ServiceEntry/default/same: b.yaml:11 (document 2) defines it again; a.yaml:1 (document 1) is served; remove or rename one of them',
  );
  await harness.folder.remove('a.yaml');
  await eventually('the second takes over', () => hostsOf(harness).includes('b.example.com'));
  t.deepEqual(harness.source.reports(), []);
  t.deepEqual(
    harness.batches.at(-1)?.changes.map((change) => change.type),
    ['upsert'],
  );
});

test('kinds of Kubernetes are skipped with one debug line each, and are no problem', async (t) => {
  const harness = await createFolderHarness(t);
  const deployment = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n';
  await harness.folder.write('a.yaml', `${deployment}---\n${deployment}---\n${serviceEntry('one')}`);
  await startHarness(harness);
  t.deepEqual(hostsOf(harness), ['one.example.com']);
  t.deepEqual(harness.source.reports(), []);
  t.deepEqual(
    harness.log.map(({ level, fields }) => [level, fields['kind']]),
    [['debug', 'Deployment']],
  );
});

test('a misspelt kind and an unknown version are problems, and the rest of the file is served', async (t) => {
  const harness = await createFolderHarness(t);
  const misspelt = 'apiVersion: config.mesh.internal/v1beta1\nkind: QuotaSpecs\nmetadata: {name: q, namespace: shop}\n';
  const old = serviceEntry('new').replace('v1beta1', 'v9');
  await harness.folder.write('a.yaml', `${serviceEntry('one')}---\n${misspelt}---\n${old}`);
  await startHarness(harness);
  t.deepEqual(hostsOf(harness), ['one.example.com']);
  const [kind, version] = harness.source.reports();
  t.like(kind, { file: 'a.yaml', document: 2, key: 'QuotaSpecs/shop/q', field: 'kind' });
  t.is(
    kind?.reason,
    'QuotaSpecs shop/q: kind: "QuotaSpecs": is not a kind of config.mesh.internal; did you mean QuotaSpec with apiVersion config.mesh.internal/v1alpha2?',
  );
  t.like(version, { file: 'a.yaml', document: 3, field: 'apiVersion' });
  t.regex(
    version?.reason ?? '',
    /did you mean networking\.mesh\.internal\/v1beta1 or networking\.mesh\.internal\/v1alpha3\?$/,
  );
  t.deepEqual(
    harness.log.map(({ level, message, fields }) => [level, message, fields['field']]),
    [
      ['error', 'object of an unknown kind is skipped', 'kind'],
      ['error', 'object of an unknown kind is skipped', 'apiVersion'],
    ],
  );
  await harness.folder.write('a.yaml', serviceEntry('one'));
  await eventually('the problems are gone', () => harness.source.reports().length === 0);
});

test('after a stop no change is delivered', async (t) => {
  const harness = await createFolderHarness(t);
  await harness.folder.write('a.yaml', serviceEntry('one'));
  await startHarness(harness);
  await harness.source.stop();
  const witness = await createFolderHarness(t, { directory: harness.folder.path });
  await startHarness(witness);
  await harness.folder.write('a.yaml', serviceEntry('two'));
  await eventually('another source has seen the change', () => hostsOf(witness)[0] === 'two.example.com');
  t.is(harness.batches.length, 1);
});
