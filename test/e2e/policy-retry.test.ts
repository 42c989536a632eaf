import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { RelayedCall, RelayOptions } from '../counterparts/agent/calls.js';
import { ROUTER_ADDRESS } from '../counterparts/network.js';
import { boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { eventually } from '../support/eventually.js';
import { countStatuses, createPolicyMesh, type PolicyMesh, policyMeshConfig, SERVER_ADDRESS } from './policy-mesh.js';
import { policyOf, policyTests } from './policy-tests.js';

const { available, test, e2eTest } = policyTests();

const RELAY_PORT = 17_000;
const MAX_RETRY = 3;
/** Most of the five seconds of a check are left for processes that get no processor time. */
const BASE_WAIT_MS = 100;
/** Which is the time that an attempt has, too. */
const MAX_WAIT_MS = 4000;
/** For the work of an attempt, on processors that do other work. */
const SLACK_MS = 300;
/** The policy server, the relay and Envoy wait for a processor in turn, each for at most the longest stall of this process. */
const STALLS = 3;
const NANOSECONDS_PER_MILLISECOND = 1e6;
const PROTOCOLS = ['HTTP', 'GRPC'] as const;
const FAILURES = ['stream', 'connection'] as const;
const serviceOf = (protocol: string, name: string): string => `${protocol.toLowerCase()}-${name}`;
const SERVICES = [
  ...PROTOCOLS.flatMap((protocol) => FAILURES.map((by) => serviceOf(protocol, by))),
  'exhausted',
  'own',
];
/** Of the service `own`. */
const OWN_MAX_RETRY = 5;

const SETTINGS = { mixerCheckServer: `${ROUTER_ADDRESS}:${RELAY_PORT}`, mixerReportServer: '' };

test.before(async (t) => {
  if (available === undefined) return;
  t.context.policy = await createPolicyMesh(available, {
    services: SERVICES,
    annotations: {
      own: {
        'policy.mesh.internal/maxRetry': String(OWN_MAX_RETRY),
        'policy.mesh.internal/baseRetryWait': '10ms',
        'policy.mesh.internal/maxRetryWait': '300ms',
      },
    },
    settings: SETTINGS,
    serverMetadata: {
      'policy.mesh.internal/checkRetries': String(MAX_RETRY),
      'policy.mesh.internal/checkBaseRetryWaitTime': `${BASE_WAIT_MS}ms`,
      'policy.mesh.internal/checkMaxRetryWaitTime': `${MAX_WAIT_MS}ms`,
    },
    specs: Object.fromEntries(
      SERVICES.map((name) => [
        `${name}.yaml`,
        boundQuotaSpec({ name }, [name], [{ quotas: [{ quota: name, charge: 1 }] }]),
      ]),
    ),
    limits: SERVICES.map((name) => ({ name, maxAmount: 10 })),
  });
});

/** Bytes over the relay during `act`. */
async function throughRelay(
  { mesh }: PolicyMesh,
  spoiling: Pick<RelayOptions, 'spoil' | 'by'>,
  act: () => Promise<void>,
): Promise<readonly RelayedCall[]> {
  const { routerAgent } = mesh.rig;
  const target = `http://${ROUTER_ADDRESS}:15016`;
  await routerAgent.call('serveRelay', { address: ROUTER_ADDRESS, port: RELAY_PORT, target, ...spoiling });
  try {
    await act();
    return await routerAgent.call('readRelay', RELAY_PORT);
  } finally {
    await routerAgent.call('stopServing', RELAY_PORT);
  }
}

const describe = (calls: readonly RelayedCall[]): string =>
  `${calls.length} calls, of which failed: ${calls.flatMap(({ failure }) => failure || []).join(', ') || 'none'}`;

const gapsOf = (calls: readonly RelayedCall[]): readonly number[] =>
  calls.slice(1).map(({ at }, index) => at - (calls[index]?.at ?? 0));

/** Puts the protocol into force at the sidecar of the server. */
async function checkOver({ mesh, server }: PolicyMesh, policyCheckProtocol: (typeof PROTOCOLS)[number]): Promise<void> {
  await mesh.discovery.writeMeshConfig(policyMeshConfig({ ...SETTINGS, policyCheckProtocol }));
  const isOverHttp = policyCheckProtocol === 'HTTP';
  await eventually(`checks are over ${policyCheckProtocol}`, async () => {
    const stats = await server.envoy.stats();
    const clusters = stats.get('cluster_manager.active_clusters') ?? 0;
    return stats.has('cluster.policy_check_server.membership_total') === isOverHttp && clusters > 0;
  });
}

for (const protocol of PROTOCOLS) {
  for (const by of FAILURES) {
    e2eTest(
      `a check over ${protocol} whose ${by} fails is retried up to maxRetry times, and charged once`,
      async (t) => {
        const policy = policyOf(t.context);
        await checkOver(policy, protocol);
        const service = serviceOf(protocol, by);
        const stalls = monitorEventLoopDelay({ resolution: 5 });
        stalls.enable();
        const calls = await throughRelay(policy, { spoil: MAX_RETRY, by }, async () => {
          t.deepEqual(countStatuses(await policy.send(service, 1)), { 200: 1 });
        });
        const path = protocol === 'HTTP' ? '/' : '/envoy.service.auth.v3.Authorization/Check';
        t.deepEqual(
          calls.map((call) => [call.path, call.spoilt]),
          [true, true, true, false].map((spoilt) => [path, spoilt]),
        );
        stalls.disable();
        const slackMs = SLACK_MS + (STALLS * stalls.max) / NANOSECONDS_PER_MILLISECOND;
        const gaps = gapsOf(calls);
        t.log(`waits between attempts: ${gaps.join(', ')} ms`);
        for (const [index, gap] of gaps.entries()) {
          // Envoy waits any time up to this before its retry of that number.
          const longest = Math.min(MAX_WAIT_MS, BASE_WAIT_MS * (2 ** (index + 1) - 1));
          t.true(gap <= longest + slackMs, `wait ${index + 1}: ${gap} ms`);
        }

        let counts: Readonly<Record<number, number>> = {};
        const rest = await throughRelay(policy, { spoil: 0, by }, async () => {
          counts = countStatuses(await policy.send(service, 20));
        });
        t.deepEqual(counts, { 200: 9, 429: 11 }, `four attempts were one charge; ${describe(rest)}`);
      },
    );
  }
}

for (const [service, maxRetry] of [
  ['exhausted', MAX_RETRY],
  ['own', OWN_MAX_RETRY],
] as const) {
  const whose = service === 'own' ? 'that its service has' : 'of the proxy';
  e2eTest(`a check that fails more often than the maxRetry ${whose} follows the fail policy`, async (t) => {
    const policy = policyOf(t.context);
    const calls = await throughRelay(policy, { spoil: 1000, by: 'stream' }, async () => {
      // Not through the client's sidecar, which asks again for a 503.
      const { status } = await policy.mesh.rig.routerAgent.request(
        `http://${SERVER_ADDRESS}:${8080 + SERVICES.indexOf(service)}/`,
      );
      t.is(status, 503);
      // The relay may read an attempt that Envoy has given up after the answer.
      await eventually('the last attempt is read', async () => {
        return (await policy.mesh.rig.routerAgent.call('readRelay', RELAY_PORT)).length > maxRetry;
      });
    });
    t.is(calls.length, 1 + maxRetry);
  });
}
