import { createBackoff } from '../../base/backoff.js';
import type { Clock } from '../../base/clock.js';
import { errorText } from '../../base/error-text.js';
import { isRecord } from '../../base/record.js';
import { revisionSuffix } from '../../base/revision.js';
import { type ApiAnswer, refusalText, type SendRequest } from '../../kubernetes/client/api-sender.js';
import { createLeaderElection } from '../../kubernetes/election/leader-election.js';
import type { ListWatcher } from '../../kubernetes/watch/list-watcher.js';
import { rawKind } from '../../kubernetes/watch/raw-kind.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { type CaBundleSource, readCaBundle } from './ca-bundle.js';
import { probeReadiness, validationEntryName } from './readiness-probe.js';
import { createChangeSink, createRepeatedWork } from './repeated-work.js';
import {
  configurationPath,
  leavesRules,
  VALIDATING_CONFIGURATION_KIND,
  type WebhookRule,
  withTrust,
} from './webhook-configuration.js';
import { createWritePace, UNDONE_REMEDY } from './write-pace.js';

export interface ValidationControllerOptions {
  /** Name of the validating webhook configuration (VALIDATION_WEBHOOK_CONFIG_NAME), with `${namespace}` replaced. */
  readonly configName: string;
  /** Namespace of the control plane, with its Service and Lease; the readiness probe uses it too. */
  readonly namespace: string;
  readonly meshDomain: string;
  /** REVISION; each revision has a configuration, a Service and a Lease of its own. */
  readonly revision: string;
  /** POD_NAME. */
  readonly identity: string;
  /** Rules for a configuration that leaves its rules to the control plane. */
  readonly rules: readonly WebhookRule[];
  readonly caBundle: CaBundleSource;
  readonly send: SendRequest;
  readonly createWatcher: (logger: Logger) => ListWatcher;
  readonly clock: Clock;
  /** Scope `validationController`. */
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** From 0 up to, not including, 1: for jitter. */
  readonly random: () => number;
}

export interface ValidationController {
  start(): void;
  stop(): Promise<void>;
}

const LEASE = 'mesh-validation-controller-election';
const SERVICE = 'meshd';
const READINESS_RETRY_MS = 1000;
const UPDATE_RETRY_MS = 500;
const MAX_UPDATE_RETRY_MS = 60_000;
const ENDPOINT_SLICE_KIND = rawKind({
  group: 'discovery.k8s.io',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
});

/**
 * Keeps caBundle and failurePolicy of the validating webhook configuration correct while this instance is the leader.
 * The failurePolicy is Ignore until API servers reach the webhook, and Fail from then on
 * (docs/reference/webhooks.md#validation-controller).
 */
export function createValidationController(options: ValidationControllerOptions): ValidationController {
  const { namespace, revision, identity, caBundle, send, createWatcher, clock, logger, random } = options;
  const reconcile = createReconciler(options);
  let session: { stop(): Promise<void> } | undefined;
  let ending: Promise<void> = Promise.resolve();

  const begin = (): { stop(): Promise<void> } => {
    const work = createRepeatedWork(reconcile, clock);
    const watcher = createWatcher(logger);
    const sink = createChangeSink(work.request);
    const selector = { fieldSelector: `metadata.name=${options.configName}` };
    watcher.watch({ definition: VALIDATING_CONFIGURATION_KIND, namespace: '', selector, sink });
    const ofService = { labelSelector: `kubernetes.io/service-name=${SERVICE}${revisionSuffix(revision)}` };
    watcher.watch({ definition: ENDPOINT_SLICE_KIND, namespace, selector: ofService, sink });
    const unsubscribe = caBundle.onChange(work.request);
    work.request();
    return {
      stop: async () => {
        unsubscribe();
        await Promise.all([watcher.stop(), work.stop()]);
      },
    };
  };
  const end = (): void => {
    const ended = session?.stop();
    session = undefined;
    if (ended !== undefined) ending = Promise.all([ending, ended]).then(() => undefined);
  };

  const lease = { namespace, name: `${LEASE}${revisionSuffix(revision)}` };
  const onChange = (isLeader: boolean): void => {
    if (isLeader) session ??= begin();
    else end();
  };
  const election = createLeaderElection({ lease, identity, send, clock, logger, random, onChange });
  return {
    start: election.start,
    stop: async () => {
      // The end of the leadership ends the session.
      await election.stop();
      await ending;
    },
  };
}

/** @returns the work: it returns the milliseconds until the next run, or undefined to wait for a change */
function createReconciler(options: ValidationControllerOptions): () => Promise<number | undefined> {
  const { configName, caBundle, send, clock, logger, metrics, random } = options;
  const pace = createWritePace(clock);
  const path = configurationPath(VALIDATING_CONFIGURATION_KIND, configName);
  const backoff = createBackoff({ initialMs: UPDATE_RETRY_MS, maxMs: MAX_UPDATE_RETRY_MS, random });
  const fields = { configuration: configName };
  let isReady = false;
  let lastTrouble = '';
  /** The bundle that was loaded last. */
  let loaded: string | undefined;
  let wasPresent = false;

  /** Logs a problem once, until another problem or a success. */
  const tell = (trouble: string, message: string): void => {
    if (trouble !== lastTrouble) logger.warn({ ...fields, reason: trouble }, message);
    lastTrouble = trouble;
  };

  const failed = (reason: string, trouble: string, message: string): number => {
    metrics.increment('cfgsrv_validation_config_update_error', { reason });
    tell(trouble, message);
    return backoff.nextMs();
  };

  const becomeReady = async (): Promise<void> => {
    const readiness = await probeReadiness(options);
    if (readiness.ready) {
      isReady = true;
      logger.info(
        { ...fields, entry: validationEntryName(options.meshDomain) },
        'api servers call the validation webhook',
      );
    } else {
      logger.debug({ ...fields, why: readiness.why }, 'api servers do not call the validation webhook yet');
    }
  };

  const reconcile = async (): Promise<number | undefined> => {
    const present = await send({ method: 'GET', path });
    if (present.status === 404) {
      const error = wasPresent ? 'cfgsrv_validation_config_delete_error' : 'cfgsrv_validation_config_update_error';
      metrics.increment(error, { reason: reasonOf(present) });
      wasPresent = false;
      tell(refusalText(present), 'validating webhook configuration is missing');
      return undefined;
    }
    if (present.status !== 200) {
      return failed(reasonOf(present), refusalText(present), 'validating webhook configuration cannot be read');
    }
    wasPresent = true;
    const bundle = readCaBundle(caBundle);
    if (bundle.type === 'unusable') {
      metrics.increment('cfgsrv_validation_config_load_error', { reason: bundle.reason });
      tell(bundle.cause, 'root certificates for the validating webhook configuration cannot be used');
      return undefined;
    }
    if (bundle.base64 !== loaded) {
      loaded = bundle.base64;
      metrics.increment('cfgsrv_validation_config_load');
    }
    if (!isReady) await becomeReady();
    const rules = leavesRules(present.body, options.meshDomain) ? options.rules : undefined;
    const changed = withTrust(present.body, bundle.base64, isReady ? 'Fail' : 'Ignore', rules);
    if (changed !== undefined) {
      const waitMs = pace.waitMs();
      if (waitMs > 0) {
        tell(UNDONE_REMEDY, 'validating webhook configuration does not keep its content');
        return waitMs;
      }
      pace.wrote();
      const answer = await send({ method: 'PUT', path, body: changed });
      if (answer.status >= 300) {
        return failed(reasonOf(answer), refusalText(answer), 'validating webhook configuration cannot be updated');
      }
      metrics.increment('cfgsrv_validation_config_updates');
      logger.info({ ...fields, isReady }, 'validating webhook configuration updated');
    }
    lastTrouble = '';
    backoff.reset();
    return isReady ? undefined : READINESS_RETRY_MS;
  };

  return async () => {
    try {
      return await reconcile();
    } catch (error) {
      const trouble = errorText(error);
      return failed('Unknown', trouble, 'request about the validating webhook configuration failed');
    }
  };
}

/** The reasons of Kubernetes. Others count as Unknown, so that a remote API server cannot create metric series. */
const REASONS: ReadonlySet<unknown> = new Set([
  ...['AlreadyExists', 'BadRequest', 'Conflict', 'Expired', 'Forbidden', 'Gone', 'InternalError', 'Invalid'],
  ...['MethodNotAllowed', 'NotAcceptable', 'NotFound', 'RequestEntityTooLarge', 'ServerTimeout', 'ServiceUnavailable'],
  ...['Timeout', 'TooManyRequests', 'Unauthorized', 'UnsupportedMediaType'],
]);

function reasonOf({ body }: ApiAnswer): string {
  const reason = isRecord(body) ? body['reason'] : undefined;
  return typeof reason === 'string' && REASONS.has(reason) ? reason : 'Unknown';
}
