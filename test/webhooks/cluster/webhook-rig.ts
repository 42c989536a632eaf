import type { ExecutionContext } from 'ava';
import { Registry } from 'prom-client';
import { systemClock } from '../../../src/base/clock.js';
import { type Cluster, createClusterConnection } from '../../../src/bootstrap/cluster-connection.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createReviewIntake } from '../../../src/webhooks/admission/review-intake.js';
import { createValidationController } from '../../../src/webhooks/certificates/validation-controller.js';
import { webhookRules } from '../../../src/webhooks/certificates/webhook-configuration.js';
import { createHttpsServer } from '../../../src/webhooks/https-server.js';
import {
  type CandidateWarnings,
  createCandidateWarnings,
} from '../../../src/webhooks/validation/candidate-warnings.js';
import { createValidationEndpoint } from '../../../src/webhooks/validation/validation-handler.js';
import { createWebhookApp } from '../../../src/webhooks/webhook-app.js';
import { type ApiServer, READERS } from '../../counterparts/kubernetes/api-server.js';
import type { KubernetesAnswer, KubernetesManifest } from '../../counterparts/kubernetes/kubernetes-client.js';
import { readManifests } from '../../sources/kubernetes/support/manifests.js';
import { ENFORCEMENT } from '../../status/analysis/support.js';
import type { TestAuthority } from '../../support/certificate-issuer.js';
import { eventually } from '../../support/eventually.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { startStopwatch } from '../../support/stopwatch.js';
import { kinds } from '../fixtures/ask.js';
import { createTestCaBundle, type TestCaBundle } from '../fixtures/ca-bundle.js';
import { createTestTlsSource, type TestTlsSource } from '../fixtures/tls-source.js';

/** The user with the rights that `manifests/` give the control plane. */
export const [MESHD_USER = ''] = READERS;
export const NAMESPACE = 'mesh-system';
export const CONFIG_NAME = 'meshd-mesh-system';

/** The rights in `manifests/`, for a user of the test instead of the service account. */
export function accessManifests(): readonly KubernetesManifest[] {
  return readManifests('manifests')
    .filter(({ kind }) => ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].includes(kind))
    .map((manifest) =>
      'subjects' in manifest
        ? { ...manifest, subjects: [{ kind: 'User', name: MESHD_USER, apiGroup: 'rbac.authorization.k8s.io' }] }
        : manifest,
    );
}

interface Entry {
  readonly name: string;
  readonly failurePolicy: string;
  readonly rules?: readonly object[];
  readonly clientConfig: { readonly caBundle?: string };
}

/**
 * The configuration of `manifests/` with the address of the test's server.
 *
 * @param url with the path
 */
export function validatingConfiguration(url: string): KubernetesManifest {
  const found = readManifests('manifests').find(({ kind }) => kind === 'ValidatingWebhookConfiguration');
  if (found === undefined) throw new Error('manifests/ has no ValidatingWebhookConfiguration');
  const [entry] = found['webhooks'] as readonly Entry[];
  return { ...found, webhooks: [{ ...entry, clientConfig: { url } }] };
}

export async function entriesOf(api: ApiServer, manifest: KubernetesManifest): Promise<readonly Entry[]> {
  return ((await api.client.get(manifest)) as { readonly webhooks: readonly Entry[] }).webhooks;
}

/**
 * Whether the control plane has noticed that the API server calls the webhook. Fail is also the default of Kubernetes.
 */
export async function isEnforced(api: ApiServer, manifest: KubernetesManifest): Promise<boolean> {
  const [entry] = await entriesOf(api, manifest);
  return entry?.failurePolicy === 'Fail' && entry.clientConfig.caBundle !== undefined;
}

/**
 * The answer of the API server, which is asked again while it gives the webhook up. The test fails if the webhook, which
 * runs in this process, had all of its time and did not answer.
 *
 * @param timeoutMs of the webhook's configuration
 */
export function untilWebhookAnswers(
  t: ExecutionContext,
  timeoutMs: number,
  ask: () => Promise<KubernetesAnswer>,
): Promise<KubernetesAnswer> {
  return eventually('the webhook answers in time', async () => {
    const stopwatch = startStopwatch();
    const answer = await ask();
    const ranMs = stopwatch.stop();
    if (!/context deadline exceeded/.test(JSON.stringify(answer.body))) return answer;
    t.log(`the webhook was late; this process ran for ${Math.round(ranMs)} ms`);
    t.true(ranMs < timeoutMs, 'the webhook does not answer');
    return undefined;
  });
}

/** A client with the identity of the control plane. */
export async function openCluster(t: ExecutionContext, api: ApiServer): Promise<Cluster> {
  const connection = createClusterConnection({
    access: { orchConfig: await api.kubeconfigOf(MESHD_USER), environment: {} },
    userAgent: 'navigator-test',
    clock: systemClock,
  });
  t.teardown(() => connection.close());
  return await connection.open();
}

export interface WebhookServer {
  readonly port: number;
  readonly material: TestTlsSource;
  readonly warnings: CandidateWarnings;
  stop(): Promise<void>;
}

/** A webhook server that API servers reach at 127.0.0.1. */
export async function startWebhookServer(
  t: ExecutionContext,
  authority: TestAuthority,
  port = 0,
): Promise<WebhookServer> {
  const material = createTestTlsSource(authority, []);
  const logger = createRecordingLogger();
  const warnings = createCandidateWarnings({ clock: systemClock, enforcement: () => ENFORCEMENT });
  const metrics = createMetrics(new Registry());
  const intake = createReviewIntake({ clock: systemClock });
  const validate = createValidationEndpoint({ kinds, metrics, logger, warnings, clock: systemClock, intake });
  const app = createWebhookApp({ validate, inject: undefined, logger });
  const server = createHttpsServer({ address: { host: '127.0.0.1', port }, material, app, logger, clock: systemClock });
  const bound = await server.start();
  t.teardown(() => server.stop());
  return { port: bound.port, material, warnings, stop: () => server.stop() };
}

export interface ControllerRig {
  readonly caBundle: TestCaBundle;
  readonly log: ReturnType<typeof createRecordingLogger>['records'];
  metric(line: string): Promise<number | undefined>;
  stop(): Promise<void>;
}

export async function startController(
  t: ExecutionContext,
  api: ApiServer,
  roots: string | undefined,
  identity = 'meshd-0',
): Promise<ControllerRig> {
  const { send, createWatcher } = await openCluster(t, api);
  const registry = new Registry();
  const logger = createRecordingLogger();
  const caBundle = createTestCaBundle(roots);
  const controller = createValidationController({
    configName: CONFIG_NAME,
    namespace: NAMESPACE,
    meshDomain: 'mesh.internal',
    revision: '',
    identity,
    rules: webhookRules(kinds.definitions, 'mesh.internal'),
    caBundle,
    send,
    createWatcher,
    clock: systemClock,
    logger,
    metrics: createMetrics(registry),
    random: Math.random,
  });
  controller.start();
  t.teardown(() => controller.stop());
  return {
    caBundle,
    log: logger.records,
    metric: async (line) => {
      const found = (await registry.metrics())
        .split('\n')
        .find((each) => each.startsWith(`cfgsrv_validation_${line} `));
      return found === undefined ? undefined : Number(found.split(' ').at(-1));
    },
    stop: () => controller.stop(),
  };
}
