import test from 'ava';
import { type ApiServer, startApiServer } from '../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../counterparts/kubernetes/find-testcluster.js';
import { allCrds, namespaceManifest, withoutSchema } from '../../sources/kubernetes/support/manifests.js';
import { eventually } from '../../support/eventually.js';
import { booksService, quotaBinding, quotaSpec } from './status-objects.js';
import { startStatusInstance } from './status-rig.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test;

interface Event {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly kind: string; readonly name: string; readonly uid?: string };
}

let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
    await api.client.applyAll(allCrds().map(withoutSchema));
  });
  test.after.always(() => api?.close());
}

async function eventsOf(namespace: string): Promise<readonly Event[]> {
  const { body } = await api.client.send('GET', `/api/v1/namespaces/${namespace}/events`);
  return (body as { items: readonly Event[] }).items;
}

async function uidOf(path: string): Promise<string> {
  return ((await api.client.send('GET', path)).body as { metadata: { uid: string } }).metadata.uid;
}

it('an object with a dangling reference or not in force gets one Event; an object in force gets none', async (t) => {
  const namespace = 'events';
  await api.client.apply(namespaceManifest(namespace));
  await api.client.applyAll(booksService(namespace));
  // Before the instance starts: a spec that lacks its binding for two seconds would get an Event too.
  await api.client.applyAll([
    quotaSpec(namespace),
    quotaBinding(namespace),
    quotaSpec(namespace, 'typo', 'reqeusts'),
    quotaBinding(namespace, 'typo'),
    quotaBinding(namespace, 'lost', 'nowhere'),
  ]);
  const instance = await startStatusInstance(t, { podName: 'meshd-0', kubeconfig: api.kubeconfig, namespace });
  instance.connect('books-1', '10.244.1.1');
  const find = async (name: string, kind: string) =>
    (await eventsOf(namespace)).filter(
      ({ involvedObject }) => involvedObject.name === name && involvedObject.kind === kind,
    );
  await eventually('the missing limit is told', async () => (await find('typo', 'QuotaSpec')).length > 0);
  await eventually('the dangling reference is told', async () => (await find('lost', 'QuotaSpecBinding')).length > 0);
  const [limit] = await find('typo', 'QuotaSpec');
  t.like(limit, { type: 'Warning', reason: 'QuotaNotLimited' });
  t.regex(limit?.message ?? '', /no limit for quota reqeusts/);
  const path = `/apis/config.mesh.internal/v1alpha2/namespaces/${namespace}/quotaspecs/typo`;
  t.is(limit?.involvedObject.uid, await uidOf(path), 'kubectl describe finds it by its uid');
  t.like((await find('lost', 'QuotaSpecBinding'))[0], { reason: 'SpecNotFound' });

  // Another look at all objects tells nothing twice.
  await api.client.apply(quotaSpec(namespace, 'idle'));
  await eventually('the one without a binding is told', async () => (await find('idle', 'QuotaSpec')).length > 0);
  t.is((await find('typo', 'QuotaSpec')).length, 1);
  t.is((await find('lost', 'QuotaSpecBinding')).length, 1);
  t.like((await find('idle', 'QuotaSpec'))[0], { reason: 'NotBound' });
  for (const kind of ['QuotaSpec', 'QuotaSpecBinding']) t.deepEqual(await find('books', kind), []);
});

it('settings that are refused are an Event on their ConfigMap and in the status of policies, with key, line and remedy', async (t) => {
  const namespace = 'refused';
  await api.client.apply(namespaceManifest(namespace));
  await api.client.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mesh', namespace } });
  const reason = 'line 2: connectTimeout: 10: is a number, not a string; put it in quotes';
  await startStatusInstance(t, {
    podName: 'meshd-0',
    kubeconfig: api.kubeconfig,
    namespace,
    refusedSettings: [{ object: `ConfigMap/${namespace}/mesh`, field: 'data.mesh', reason }],
  });
  await eventually('it is told', async () => (await eventsOf(namespace)).length > 0);
  const [event] = await eventsOf(namespace);
  t.like(event, { type: 'Warning', reason: 'SettingsRefused', message: `data.mesh: ${reason}` });
  t.is(event?.involvedObject.uid, await uidOf(`/api/v1/namespaces/${namespace}/configmaps/mesh`));

  await api.client.apply(quotaSpec(namespace));
  const path = `/apis/config.mesh.internal/v1alpha2/namespaces/${namespace}/quotaspecs/books`;
  const messages = async (): Promise<readonly string[]> => {
    const { body } = await api.client.send('GET', path);
    const { status } = body as { readonly status?: { readonly conditions?: readonly { readonly message: string }[] } };
    return (status?.conditions ?? []).map(({ message }) => message);
  };
  const told = `Settings are refused, so their last good content is in force: ConfigMap ${namespace}/mesh: data.mesh: ${reason}`;
  await eventually('the status of a policy names the settings too', async () =>
    (await messages()).some((message) => message.includes(told)),
  );
});
