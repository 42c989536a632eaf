import type { Clock } from '../../base/clock.js';
import type { ServerCertificateSource } from '../../ca/server-certificate/server-certificate-source.js';
import { createTlsMaterialSource } from '../../ca/server-certificate/tls-material-source.js';
import type { KindRegistry } from '../../config/kinds.js';
import type { EntryGuard } from '../../model/entries/entry-guard.js';
import type { Logging } from '../../telemetry/logging.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { AdmissionEndpoint } from '../../webhooks/admission/admission-endpoint.js';
import type { ReviewIntake } from '../../webhooks/admission/review-intake.js';
import { createApiServerRoots } from '../../webhooks/certificates/api-server-roots.js';
import { createInjectionCaPatcher } from '../../webhooks/certificates/injection-ca-patcher.js';
import { createValidationController } from '../../webhooks/certificates/validation-controller.js';
import { webhookRules } from '../../webhooks/certificates/webhook-configuration.js';
import { createHttpsServer, type HttpsServer } from '../../webhooks/https-server.js';
import type { CandidateWarnings } from '../../webhooks/validation/candidate-warnings.js';
import type { RegexAdmission } from '../../webhooks/validation/regex-admission.js';
import { createValidationEndpoint } from '../../webhooks/validation/validation-handler.js';
import { createWebhookApp } from '../../webhooks/webhook-app.js';
import type { Cluster } from '../cluster-connection.js';
import { httpServerSettings } from '../map-options.js';
import type { Options } from '../options.js';
import { reportHttpRefusals } from '../report-http-refusals.js';

export interface WebhookParts {
  readonly options: Options;
  readonly cluster: Cluster;
  readonly certificate: ServerCertificateSource;
  readonly kinds: KindRegistry;
  /** The parts of the mesh that limit ServiceEntries, at the time of the call. */
  readonly entryGuard: () => EntryGuard;
  /** Answers `/inject`. */
  readonly inject: AdmissionEndpoint;
  /** Shared with the injector. */
  readonly intake: ReviewIntake;
  readonly warnings: CandidateWarnings;
  readonly regexes: RegexAdmission;
  /** Unique among the instances of the control plane. */
  readonly identity: string;
  readonly metrics: Metrics;
  readonly logging: Logging;
  readonly clock: Clock;
}

/**
 * The HTTPS listener of the webhooks, :15017, and the controllers that keep the webhook configurations correct
 * (docs/reference/webhooks.md).
 */
export function createWebhooks(parts: WebhookParts): HttpsServer {
  const { options, cluster, certificate, inject, metrics, logging, clock } = parts;
  const { discovery, environment } = options;
  const logger = logging.scope('validationServer');
  const validate = createValidationEndpoint({ ...parts, logger: logging.scope('validation') });
  const clientRoots = createApiServerRoots({
    send: cluster.send,
    file: environment.navWebhookClientCaFile,
    logger,
    clock,
  });
  const server = createHttpsServer({
    address: discovery.httpsAddr,
    material: createTlsMaterialSource(certificate, clientRoots),
    app: createWebhookApp({ validate, inject, logger }),
    logger,
    clock,
    ...httpServerSettings(options),
    onRefused: reportHttpRefusals('--httpsAddr', metrics, logger, clock),
  });

  const caBundle = { current: certificate.caBundle, onChange: certificate.onChange };
  const patches = { ...cluster, meshDomain: environment.meshDomain, caBundle, clock };
  const injectionPatcher = createInjectionCaPatcher({
    ...patches,
    configName: environment.injectionWebhookConfigName,
    logger: logging.scope('default'),
  });
  const validationController = createValidationController({
    ...patches,
    configName: environment.validationWebhookConfigName,
    namespace: discovery.namespace,
    revision: environment.revision,
    identity: parts.identity,
    rules: webhookRules(parts.kinds.definitions, environment.meshDomain),
    logger: logging.scope('validationController'),
    metrics,
    random: Math.random,
  });

  return {
    start: async () => {
      await clientRoots.start();
      const address = await server.start();
      injectionPatcher.start();
      validationController.start();
      return address;
    },
    stop: async () => {
      await Promise.all([injectionPatcher.stop(), validationController.stop(), clientRoots.stop()]);
      await server.stop();
    },
  };
}
