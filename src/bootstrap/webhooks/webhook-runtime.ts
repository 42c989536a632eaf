import type { Clock } from '../../base/clock.js';
import type { ServerCertificateSource } from '../../ca/server-certificate/server-certificate-source.js';
import type { KindRegistry } from '../../config/kinds.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { createSchemaCompiler } from '../../config/schema/schema-reader.js';
import type { ConfigProblem } from '../../introspection/views.js';
import type { EntryGuard } from '../../model/entries/entry-guard.js';
import type { PushContext } from '../../model/push-context.js';
import type { Enforcement } from '../../status/analysis/analysis-input.js';
import { createLimitedLog } from '../../telemetry/limited-log.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Logging } from '../../telemetry/logging.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { ReviewCaller } from '../../webhooks/admission/review-caller.js';
import { createReviewIntake, type ShedReason } from '../../webhooks/admission/review-intake.js';
import { createCandidateWarnings } from '../../webhooks/validation/candidate-warnings.js';
import { createRegexAdmission } from '../../webhooks/validation/regex-admission.js';
import type { Cluster } from '../cluster-connection.js';
import { createInjector } from '../injection/create-injector.js';
import { regexLimitsOf } from '../map-options.js';
import type { ListenAddress, Options } from '../options.js';
import { createMountedFrom } from '../settings-file.js';
import type { SettingsKeeper } from '../settings-keeper.js';
import { createWebhooks } from './create-webhooks.js';

export interface WebhookRuntimeParts {
  readonly options: Options;
  readonly cluster: Cluster;
  readonly keeper: Pick<SettingsKeeper, 'custodyOf'>;
  readonly certificate: ServerCertificateSource;
  /** The mesh config in force, at the time of the call. */
  readonly mesh: () => MeshConfig;
  readonly kinds: KindRegistry;
  /** The parts of the mesh that limit ServiceEntries, at the time of the call. */
  readonly entryGuard: () => EntryGuard;
  readonly enforcement: () => Enforcement;
  /** Called after `proxyImage` may have changed. */
  readonly onProxyImage: () => void;
  /** Unique among the instances of the control plane. */
  readonly identity: string;
  readonly metrics: Metrics;
  readonly logging: Logging;
  readonly clock: Clock;
}

/** The webhooks: the validator and the injector, on one listener. */
export interface WebhookRuntime {
  /** @throws ListenError; SettingsRefusedError when a file of the injector cannot be used */
  start(): Promise<ListenAddress>;
  observe(context: PushContext): void;
  /** Text of the injector's template; undefined while the injector is off. */
  injectionTemplate(): string | undefined;
  /** Image of the proxies of new pods; undefined where it is unknown. */
  proxyImage(): string | undefined;
  problems(): readonly ConfigProblem[];
  stop(): Promise<void>;
}

/** Folder of the injector's files (docs/reference/webhooks.md#injector-configuration). */
const INJECTION_DIRECTORY = './var/lib/mesh/inject';

export function createWebhookRuntime(parts: WebhookRuntimeParts): WebhookRuntime {
  const { options, clock, enforcement, logging } = parts;
  const { environment } = options;
  const warnings = createCandidateWarnings({ clock, enforcement });
  const intake = createReviewIntake({
    clock,
    maxBodyBytes: environment.navWebhookBodyBytes,
    maxParsedBytes: environment.navWebhookParsedBytes,
    maxWaitMs: environment.navWebhookQueueTimeoutMs,
    onShed: reportShedReviews(parts.metrics, logging.scope('validationServer'), clock),
  });
  const regexes = createRegexAdmission(() => regexLimitsOf(environment));
  const injector = createInjector({
    ...parts,
    directory: INJECTION_DIRECTORY,
    capturesDns: environment.dnsAgent !== '',
    defaultsDirectory: `${INJECTION_DIRECTORY}-defaults`,
    meshDomain: environment.meshDomain,
    revision: environment.revision,
    mountedFrom: createMountedFrom({ ...environment, namespace: options.discovery.namespace }),
    compiler: createSchemaCompiler(),
    logger: logging.scope('default'),
    intake,
  });
  const webhooks = createWebhooks({ ...parts, inject: injector.endpoint, intake, warnings, regexes });
  return {
    start: async () => {
      await injector.start();
      return await webhooks.start();
    },
    observe: (context) => {
      if (options.environment.navEnableAnalysis) warnings.observe(context);
      regexes.observe(context);
    },
    injectionTemplate: injector.template,
    proxyImage: injector.proxyImage,
    problems: injector.problems,
    stop: async () => {
      await Promise.all([webhooks.stop(), injector.stop()]);
    },
  };
}

const SETTING: Readonly<Partial<Record<ShedReason, string>>> = {
  bytes: 'NAV_WEBHOOK_BODY_BYTES',
  'parsed-size': 'NAV_WEBHOOK_PARSED_BYTES',
  'queue-time': 'NAV_WEBHOOK_QUEUE_TIMEOUT',
};

/** Counts and logs the reviews that are rejected under load. */
function reportShedReviews(
  metrics: Metrics,
  logger: Logger,
  clock: Clock,
): (caller: ReviewCaller, reason: ShedReason) => void {
  const log = createLimitedLog(logger, clock);
  return ({ source, isTrusted }, reason) => {
    const caller = isTrusted ? 'certificate' : 'anonymous';
    metrics.increment('nav_webhook_shed_total', { caller, reason });
    const setting = SETTING[reason];
    log.warn(
      { peer: source, caller, reason, ...(setting === undefined ? {} : { setting }) },
      'webhook review turned away',
    );
  };
}
