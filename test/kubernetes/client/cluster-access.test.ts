import { readFile, utimes, writeFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { type ClusterAccessOptions, loadClusterAccess } from '../../../src/kubernetes/client/cluster-access.js';
import { ClusterAccessError } from '../../../src/kubernetes/client/cluster-access-error.js';
import { createTempFolder, type TempFolder } from '../../sources/support/temp-folder.js';

async function ownFolder(t: ExecutionContext): Promise<TempFolder> {
  const folder = await createTempFolder();
  t.teardown(() => folder.dispose());
  return folder;
}

const kubeconfig = (cluster: object, user: object = { token: 'secret' }, context = 'here'): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
    'current-context': context,
  });

const outside = (orchConfig: string): ClusterAccessOptions => ({ orchConfig, environment: {} });

async function refusal(t: ExecutionContext, options: ClusterAccessOptions): Promise<ClusterAccessError> {
  return (await t.throwsAsync(loadClusterAccess(options), { instanceOf: ClusterAccessError })) as ClusterAccessError;
}

test('a kubeconfig that is not there is named, with the flag that names it', async (t) => {
  const { code, message } = await refusal(t, outside('/no/such/kubeconfig'));
  t.is(code, 'KUBECONFIG_UNREADABLE');
  t.regex(message, /\/no\/such\/kubeconfig cannot be read .*ENOENT.*; correct --orchconfig/);
});

for (const [title, text, reason] of [
  ['that is no YAML', '{', /cannot be used: /],
  ['that is empty', '', /cannot be used: /],
  ['without clusters', '{"apiVersion":"v1"}', /its current-context "" names no cluster/],
  [
    'whose context is not in it',
    kubeconfig({ server: 'https://x' }, {}, 'gone'),
    /current-context "gone" names no cluster/,
  ],
  ['whose server is no URL', kubeconfig({ server: 'x:y' }), /its server "x:y" is not an http or https URL/],
  ['whose cluster has no server', kubeconfig({}), /clusters\[0\]\.cluster\.server is missing/],
] as const) {
  test(`a kubeconfig ${title} is refused with the reason`, async (t) => {
    const folder = await ownFolder(t);
    await folder.write('kubeconfig', text);
    const { code, message } = await refusal(t, outside(folder.at('kubeconfig')));
    t.is(code, 'KUBECONFIG_INVALID');
    t.regex(message, reason);
    t.true(message.includes(folder.at('kubeconfig')));
  });
}

test('outside of a cluster and without a kubeconfig, the error names the remedy', async (t) => {
  const { code, message } = await refusal(t, outside(''));
  t.is(code, 'NOT_IN_CLUSTER');
  t.regex(message, /--orchconfig.*--configDir/);
});

test('in a pod without a token, the error names the remedy', async (t) => {
  const folder = await ownFolder(t);
  const environment = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
  const { code, message } = await refusal(t, { orchConfig: '', environment, serviceAccountFolder: folder.path });
  t.is(code, 'NOT_IN_CLUSTER');
  t.regex(message, /token cannot be read; set automountServiceAccountToken/);
});

test('in a pod the mounted token and certificate are used, IPv6 too', async (t) => {
  const folder = await ownFolder(t);
  await folder.write('token', 'mounted');
  await folder.write('ca.crt', 'certificate');
  const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' };
  const access = await loadClusterAccess({ orchConfig: '', environment, serviceAccountFolder: folder.path });
  t.teardown(() => access.close());
  t.is(access.server, 'https://[fd00::1]:6443');
  const { headers, ca } = await access.requestOptions();
  t.like(headers, { Authorization: 'Bearer mounted' });
  t.is(String(ca), 'certificate');
});

test('a token file beside the kubeconfig is found, from wherever the process runs', async (t) => {
  const folder = await ownFolder(t);
  await folder.write('kubeconfig', kubeconfig({ server: 'https://api/' }, { tokenFile: 'secrets/token' }));
  await folder.write('secrets/token', 'beside');
  const access = await loadClusterAccess(outside(folder.at('kubeconfig')));
  t.teardown(() => access.close());
  t.is(access.server, 'https://api');
  const { headers } = await access.requestOptions();
  t.like(headers, { Authorization: 'Bearer beside' });
});

test('a kubeconfig that is written anew counts from the next request on; a bad one fails it and is not kept', async (t) => {
  const folder = await ownFolder(t);
  const file = folder.at('kubeconfig');
  await folder.write('kubeconfig', kubeconfig({ server: 'https://api' }, { token: 'first' }));
  const access = await loadClusterAccess(outside(file));
  t.teardown(() => access.close());
  await writeFile(file, '{');
  await utimes(file, 1, 1);
  await t.throwsAsync(access.requestOptions(), { message: /cannot be used/ });
  await writeFile(file, kubeconfig({ server: 'https://api' }, { token: 'second' }));
  await utimes(file, 2, 2);
  const { headers } = await access.requestOptions();
  t.like(headers, { Authorization: 'Bearer second' });
});

test('requests share connections, but for those through a proxy of the kubeconfig', async (t) => {
  const folder = await ownFolder(t);
  await folder.write('direct', kubeconfig({ server: 'https://api' }));
  await folder.write('proxied', kubeconfig({ server: 'https://api', 'proxy-url': 'http://proxy:3128' }));
  const direct = await loadClusterAccess(outside(folder.at('direct')));
  t.teardown(() => direct.close());
  t.is((await direct.requestOptions()).agent, (await direct.requestOptions()).agent);
  const proxied = await loadClusterAccess(outside(folder.at('proxied')));
  t.teardown(() => proxied.close());
  t.is((await proxied.requestOptions()).agent?.constructor.name, 'HttpsProxyAgent');
});

test('a credential program of the kubeconfig is asked once for requests that come together, and its failure is told in its words', async (t) => {
  const folder = await ownFolder(t);
  const credential = {
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token: 'given', expirationTimestamp: '2000-01-01T00:00:00Z' },
  };
  const program = (script: string): string =>
    kubeconfig(
      { server: 'https://api' },
      { exec: { apiVersion: credential.apiVersion, command: 'sh', args: ['-c', script] } },
    );
  const log = folder.at('log');
  await folder.write('good', program(`echo asked >>${log}; echo '${JSON.stringify(credential)}'`));
  await folder.write('bad', program('echo no login >&2; exit 1'));
  const good = await loadClusterAccess(outside(folder.at('good')));
  t.teardown(() => good.close());
  const [options] = await Promise.all([good.requestOptions(), good.requestOptions(), good.requestOptions()]);
  t.like(options.headers, { Authorization: 'Bearer given' });
  t.is(await readFile(log, 'utf8'), 'asked\n');
  const bad = await loadClusterAccess(outside(folder.at('bad')));
  t.teardown(() => bad.close());
  await t.throwsAsync(bad.requestOptions(), { message: /no login/ });
});
