import test from 'ava';
import { type ApiServer, startApiServer } from '../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../counterparts/kubernetes/find-testcluster.js';
import { allCrds } from '../sources/kubernetes/support/manifests.js';
import { eventually } from '../support/eventually.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.serial.skip : test.serial;
let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
    await api.client.applyAll(allCrds());
    for (const plural of ['quotaspecs', 'httpapispecs', 'quotaspecbindings']) {
      await eventually(`${plural} are served`, async () => {
        const path = `/apis/config.mesh.internal/v1alpha2/namespaces/default/${plural}`;
        return (await api.client.send('GET', path)).status === 200;
      });
    }
  });
  test.after.always(() => api?.close());
}

/**
 * The error of the API server about an object, by its schema alone, without a webhook; empty if it accepts the object.
 */
async function messageOf(plural: string, kind: string, spec: object): Promise<string> {
  const { status, body } = await api.client.send(
    'POST',
    `/apis/config.mesh.internal/v1alpha2/namespaces/default/${plural}?dryRun=All`,
    { apiVersion: 'config.mesh.internal/v1alpha2', kind, metadata: { name: 'a' }, spec },
  );
  return status < 300 ? '' : String((body as { readonly message?: unknown }).message);
}

const clause = (match: object) => ({ rules: [{ match: [{ clause: { 'request.path': match } }] }] });
const service = (fields: object) => ({ services: [fields], quotaSpecs: [{ name: 'q' }] });

const CASES: readonly (readonly [what: string, plural: string, kind: string, spec: object, message: RegExp])[] = [
  [
    'a match with two members',
    'quotaspecs',
    'QuotaSpec',
    clause({ exact: 'a', prefix: 'b' }),
    /spec\.rules\[0\]\.match\[0\]\.clause\.request\.path: Too many: 2: must have at most 1 items?/,
  ],
  [
    'a match without a member',
    'quotaspecs',
    'QuotaSpec',
    clause({}),
    /spec\.rules\[0\]\.match\[0\]\.clause\.request\.path: .*should have at least 1 properties/,
  ],
  [
    'a pattern with template and expression',
    'httpapispecs',
    'HTTPAPISpec',
    { patterns: [{ uriTemplate: '/', regex: '/' }] },
    /spec\.patterns\[0\]: .*set exactly one of uriTemplate, regex/,
  ],
  [
    'a pattern with neither',
    'httpapispecs',
    'HTTPAPISpec',
    { patterns: [{ httpMethod: 'GET' }] },
    /spec\.patterns\[0\]: .*set exactly one of uriTemplate, regex/,
  ],
  [
    'an API key in two places',
    'httpapispecs',
    'HTTPAPISpec',
    { apiKeys: [{ query: 'k', header: 'k' }] },
    /spec\.apiKeys\[0\]: Too many: 2: must have at most 1 items?/,
  ],
  [
    'an attribute of two types',
    'httpapispecs',
    'HTTPAPISpec',
    { attributes: { attributes: { 'api.service': { stringValue: 'a', boolValue: true } } } },
    /spec\.attributes\.attributes\.api\.service: Too many: 2: must have at most 1 items?/,
  ],
  [
    'a service with both names',
    'quotaspecbindings',
    'QuotaSpecBinding',
    service({ name: 'web', service: 'web.shop' }),
    /spec\.services\[0\]: .*sets name and service together; keep one of them/,
  ],
  [
    'a service with a namespace beside its full name',
    'quotaspecbindings',
    'QuotaSpecBinding',
    service({ service: 'web.shop', namespace: 'shop' }),
    /spec\.services\[0\]: .*sets service and namespace together/,
  ],
];

for (const [what, plural, kind, spec, message] of CASES) {
  it(`the API server names the field of ${what}, and the remedy`, async (t) => {
    const said = await messageOf(plural, kind, spec);
    t.log(said);
    t.regex(said, message);
    // The API server may add that rules were not checked, in a message that begins with <nil>.
    t.regex(said, /is invalid: \[?spec\./);
  });
}

it('the API server accepts objects without optional fields', async (t) => {
  t.is(await messageOf('quotaspecs', 'QuotaSpec', {}), '');
  t.is(await messageOf('quotaspecs', 'QuotaSpec', { rules: [{}, { quotas: [{ quota: 'q', charge: 0 }, {}] }] }), '');
  t.is(await messageOf('httpapispecs', 'HTTPAPISpec', { apiKeys: [{ header: 'x-key' }] }), '');
  t.is(await messageOf('httpapispecs', 'HTTPAPISpec', { patterns: [{ uriTemplate: '/' }] }), '');
  t.is(await messageOf('quotaspecbindings', 'QuotaSpecBinding', service({ namespace: 'shop' })), '');
});
