import { Agent, request } from 'node:https';
import { json } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';
import { Registry } from 'prom-client';
import { systemClock } from '../../../src/base/clock.js';
import { apiVersionOf } from '../../../src/config/kind-definition.js';
import type { PushContext } from '../../../src/model/push-context.js';
import type { Enforcement } from '../../../src/status/analysis/analysis-input.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createReviewIntake } from '../../../src/webhooks/admission/review-intake.js';
import { createHttpsServer } from '../../../src/webhooks/https-server.js';
import { createCandidateWarnings } from '../../../src/webhooks/validation/candidate-warnings.js';
import { createRegexAdmission } from '../../../src/webhooks/validation/regex-admission.js';
import { createValidationEndpoint } from '../../../src/webhooks/validation/validation-handler.js';
import { createWebhookApp } from '../../../src/webhooks/webhook-app.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { kinds } from '../../webhooks/fixtures/ask.js';
import { createTestTlsSource, SERVER_NAME, sharedAuthority } from '../../webhooks/fixtures/tls-source.js';
import type { Manifest } from './base-mesh.js';

/** Reviews a change of an existing object: returns the warnings of the webhook, or its error. */
export type AskReview = (manifest: Manifest) => Promise<readonly string[]>;

/** The webhook server over one snapshot; it stops with the test. */
export async function serveReviews(
  t: ExecutionContext,
  context: PushContext,
  enforcement: Enforcement,
): Promise<AskReview> {
  const logger = createRecordingLogger();
  const clock = systemClock;
  // No further snapshot comes, so the webhook need not wait for missing objects.
  const warnings = createCandidateWarnings({ clock, enforcement: () => enforcement, catchUpMs: 0 });
  warnings.observe(context);
  const regexes = createRegexAdmission();
  regexes.observe(context);
  const metrics = createMetrics(new Registry());
  const intake = createReviewIntake({ clock });
  const validate = createValidationEndpoint({ kinds, metrics, logger, clock, warnings, regexes, intake });
  const server = createHttpsServer({
    address: '127.0.0.1:0',
    material: createTestTlsSource(sharedAuthority),
    app: createWebhookApp({ validate, inject: undefined, logger }),
    logger,
    clock,
  });
  const { port } = await server.start();
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: sharedAuthority.certificate, servername: SERVER_NAME });
  t.teardown(async () => {
    agent.destroy();
    await server.stop();
  });
  return (manifest) => review(agent, port, manifest);
}

interface Review {
  readonly response: {
    readonly allowed: boolean;
    readonly warnings?: readonly string[];
    readonly status?: { readonly message?: string };
  };
}

async function review(agent: Agent, port: number, manifest: Manifest): Promise<readonly string[]> {
  const { kind, metadata, apiVersion } = manifest;
  const definition = kinds.find(apiVersion, kind);
  if (definition === undefined) throw new Error(`${kind} is not known`);
  const [group, version] = apiVersionOf(definition).split('/');
  const body = JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: `${metadata.namespace}/${metadata.name}`,
      kind: { group, version, kind },
      resource: { group, version, resource: definition.plural },
      operation: 'UPDATE',
      ...metadata,
      object: manifest,
      oldObject: manifest,
    },
  });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const { response } = await new Promise<Review>((resolve, reject) => {
    const outgoing = request(
      { host: '127.0.0.1', port, path: '/validate', method: 'POST', agent, headers },
      (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`the webhook answered ${answer.statusCode}`));
        json(answer).then((value) => resolve(value as Review), reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
  const { allowed, warnings = [], status } = response;
  return allowed ? warnings : [status?.message ?? 'refused without a reason'];
}
