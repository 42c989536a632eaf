import { existsSync, readFileSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import {
  CHECK_RETRIES,
  createPolicyProcess,
  POLICY_SERVICE_SETTINGS,
  type PolicyProcess,
  policyServiceManifests,
} from '../counterparts/policy-process.js';
import { requireSampleAdapters, startSampleAdapter } from '../counterparts/sample-adapters.js';
import { eventually } from '../support/eventually.js';
import { prepareAuditFile, sampleAdapterObjects } from './own-adapters.js';
import { createPolicyMesh, type PolicyMesh } from './policy-mesh.js';
import { type PolicyContext, policyOf, policyTests } from './policy-tests.js';
import { endUnharmedLoad, moreRequests } from './running-load.js';

const { available, test, e2eTest } = policyTests();
const adapters = requireSampleAdapters();
const adapterTest = 'missing' in adapters ? test.skip : e2eTest;

const POLICY_ADDRESSES = ['10.244.9.1', '10.244.9.2'] as const;
const ADAPTER_ADDRESS = '10.244.9.3';
const auditFile = prepareAuditFile(test);

/** The sample adapter that writes a line for each request, for the service `audited`. */
const AUDIT = sampleAdapterObjects(['audit'], { address: ADAPTER_ADDRESS, service: 'audited', auditFile });

let servers: readonly PolicyProcess[] = [];

test.before(async (t) => {
  if (available === undefined || 'missing' in adapters) return;
  t.context.policy = await createPolicyMesh(available, {
    services: ['audited'],
    specs: { 'audit.yaml': AUDIT },
    limits: [],
    settings: POLICY_SERVICE_SETTINGS,
    serverMetadata: CHECK_RETRIES,
    files: {
      'policy.yaml': policyServiceManifests(POLICY_ADDRESSES),
    },
    beforeSidecars: async ({ rig, discovery }) => {
      for (const address of [...POLICY_ADDRESSES, ADAPTER_ADDRESS]) await rig.network.addRouterAddress(address);
      const { router } = rig.network;
      const adapter = await startSampleAdapter(router.enter(adapters.value.audit), `${ADAPTER_ADDRESS}:9001`);
      rig.defer(() => adapter.stop());
      servers = POLICY_ADDRESSES.map((address) =>
        createPolicyProcess(rig, { address, discovery, flags: ['--drainTime', '500ms'] }),
      );
      await Promise.all(servers.map((server) => server.start()));
    },
  });
});

/** Lines of the adapter's file: one for each reported request. */
function countReported(): number {
  return existsSync(auditFile) ? readFileSync(auditFile, 'utf8').split('\n').length - 1 : 0;
}

/** Lets requests run while a policy server ends and starts again: none of them fails. */
async function endUnderLoad(
  t: ExecutionContext<PolicyContext>,
  server: PolicyProcess,
  end: () => Promise<void>,
): Promise<void> {
  const { client, request } = policyOf(t.context);
  await client.agent.call('startLoad', { request: request('audited') });
  await moreRequests(client.agent, 100);
  await end();
  await moreRequests(client.agent, 100);
  await server.start();
  await moreRequests(client.agent, 100);
  await endUnharmedLoad(t, client.agent);
}

/** Requests that begin now are reported. */
async function assertReported({ send }: PolicyMesh): Promise<void> {
  await eventually('reports continue', async () => {
    const before = countReported();
    await send('audited', 1);
    return countReported() > before;
  });
}

adapterTest('each of two policy servers in turn can shut down: no request fails, and reports continue', async (t) => {
  const policy = policyOf(t.context);
  const writeEndpoints = (addresses: readonly string[]) =>
    policy.mesh.discovery.configFolder.write('policy.yaml', policyServiceManifests(addresses));
  for (const [index, server] of servers.entries()) {
    // As Kubernetes does with a pod that terminates.
    await writeEndpoints(POLICY_ADDRESSES.filter((_, other) => other !== index));
    await endUnderLoad(t, server, server.terminate);
    await writeEndpoints(POLICY_ADDRESSES);
    await assertReported(policy);
  }
});

adapterTest('each of two policy servers in turn can be killed: no request fails, and reports continue', async (t) => {
  const policy = policyOf(t.context);
  for (const server of servers) {
    await endUnderLoad(t, server, server.kill);
    await assertReported(policy);
  }
});
