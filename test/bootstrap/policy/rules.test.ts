import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { projectRoot } from '../../counterparts/project-root.js';
import { startAdapter } from '../../policy/own-adapters/adapter-rig.js';
import { eventually } from '../../support/eventually.js';
import { writeWhole } from '../../support/write-whole.js';
import { documents, endpoints, service } from '../support/manifests.js';
import { connectPolicyClient } from '../support/policy-client.js';
import { startServer } from '../support/running-server.js';

const WEB = 'web.shop.svc.cluster.local';
const MESH = 'mixerCheckServer: embedded\nmixerReportServer: embedded\ndisablePolicyChecks: false\n';

function object(kind: string, name: string, spec: object): string {
  const metadata = { name, namespace: 'shop' };
  return JSON.stringify({ apiVersion: 'config.mesh.internal/v1alpha2', kind, metadata, spec });
}

const rule = (name: string, match: string, handler: string, instance: string): string =>
  object('rule', name, { match, actions: [{ handler, instances: [instance] }] });

/** GET is refused with 403, and two requests of the quota are granted. */
const RULES = documents(
  object('handler', 'refuse', { compiledAdapter: 'denier', params: { status: { code: 7, message: 'closed' } } }),
  object('instance', 'anything', { compiledTemplate: 'checknothing' }),
  object('handler', 'counter', {
    compiledAdapter: 'memquota',
    params: { quotas: [{ name: 'requests', maxAmount: 2, validDuration: '1h' }] },
  }),
  object('instance', 'requests', { compiledTemplate: 'quota' }),
  rule('count', '', 'counter', 'requests'),
  object('QuotaSpec', 'web', { rules: [{ quotas: [{ quota: 'requests', charge: 1 }] }] }),
  object('QuotaSpecBinding', 'web', { services: [{ name: 'web' }], quotaSpecs: [{ name: 'web' }] }),
);
const refuse = (method: string) => rule('deny', `request.method == "${method}"`, 'refuse', 'anything');

test('the policy server applies the rules of the folder, and a changed rule to the next requests', async (t) => {
  const server = await startServer(t, {
    files: {
      'web.yaml': documents(service('web'), endpoints('web', '10.0.0.1')),
      'rules.yaml': RULES,
      'deny.yaml': refuse('GET'),
    },
  });
  await writeWhole(server.meshConfigFile, MESH);
  const client = connectPolicyClient(t, server.policyPort);
  const { http, folder } = server;
  await eventually('the rule is in force', async () => (await client.ask(WEB)) === 403);

  await folder.write('deny.yaml', refuse('TRACE'));
  await eventually('the rule matches no more', async () => (await client.ask(WEB)) === 200);
  t.deepEqual([await client.ask(WEB), await client.ask(WEB)], [200, 429]);
  t.is(await http.metric('policy_handler_reused_handlers_total'), 2);
  t.is(await http.metric('policy_handler_new_handlers_total'), 0);
  t.deepEqual(server.logged('quota has no limit, all charges are granted'), []);

  const codes = async () => (await http.json<{ code?: string }[]>('/debug/config_problems')).map(({ code }) => code);
  await eventually('nothing is told about the mesh', async () => (await codes()).length === 0);
  const backend = JSON.stringify({ backend: { address: '127.0.0.1:1' } });
  await writeWhole(server.policyConfigFile, backend);
  await eventually('the rules have no effect', async () => (await codes()).includes('MESH0282'));
});

test('the policy server asks an adapter of your own, as the samples configure it', async (t) => {
  const adapter = await startAdapter(t, ({ request }) =>
    request.instance.key === '' ? { result: { status: { code: 16, message: 'who are you?' } } } : {},
  );
  const objects = readFileSync(join(projectRoot(), 'samples/adapters/accounts.yaml'), 'utf8')
    .replace('accounts.shop:9000', `127.0.0.1:${adapter.port}`)
    .replace('timeout: 500ms', 'timeout: 10s')
    .replace('name == "books"', 'name == "web"');
  const server = await startServer(t, {
    files: { 'web.yaml': documents(service('web'), endpoints('web', '10.0.0.1')), 'accounts.yaml': objects },
    variables: { NAV_EGRESS_ALLOWED: '127.0.0.0/8' },
  });
  await writeWhole(server.meshConfigFile, MESH);
  const client = connectPolicyClient(t, server.policyPort);
  await eventually('the adapter decides', async () => (await client.ask(WEB)) === 401);
  t.is(adapter.calls.at(-1)?.request.instance.name, 'account.instance.shop');
  t.is(await server.http.metric('policy_adapter_connected{handler="handler/shop/accounts"}'), 1);
  t.true(((await server.http.metric('num_outgoing_requests{request_type="adapter"}')) ?? 0) >= 1);
});
