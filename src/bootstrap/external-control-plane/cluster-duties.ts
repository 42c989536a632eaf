import type { Clock } from '../../base/clock.js';
import type { CertificateAuthority } from '../../ca/authority/certificate-authority.js';
import { createRootDistribution } from '../../ca/distribution/root-distribution.js';
import type { KindRegistry } from '../../config/kinds.js';
import { withFields } from '../../telemetry/logger.js';
import type { Logging } from '../../telemetry/logging.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { CaBundleSource } from '../../webhooks/certificates/ca-bundle.js';
import { createInjectionCaPatcher } from '../../webhooks/certificates/injection-ca-patcher.js';
import { createValidationController } from '../../webhooks/certificates/validation-controller.js';
import { webhookRules } from '../../webhooks/certificates/webhook-configuration.js';
import type { Options } from '../options.js';
import type { ClusterWorkFactory } from './remote-work.js';

export interface ClusterDutyParts {
  readonly options: Options;
  /** Undefined where ENABLE_CA_SERVER is off: there are no roots to hand out. */
  readonly authority: CertificateAuthority | undefined;
  /** The roots that vouch for our HTTPS server. */
  readonly caBundle: CaBundleSource;
  readonly kinds: Pick<KindRegistry, 'definitions'>;
  /** Two instances must never have the same one. */
  readonly identity: string;
  readonly metrics: Metrics;
  readonly logging: Logging;
  readonly clock: Clock;
}

/**
 * What one control plane does in each remote cluster (docs/configuration.md#environment-variables, CENTRAL_MESHD;
 * docs/reference/sources.md#several-clusters): the root ConfigMap in every namespace, and trust in our HTTPS server in
 * the webhook configurations that are there. Leases are in the remote cluster's namespace of the control plane's name,
 * so that replicas take turns there as they do at home.
 */
export function createClusterDuties(parts: ClusterDutyParts): readonly ClusterWorkFactory[] {
  const { options, authority, caBundle, kinds, identity, metrics, logging, clock } = parts;
  const { discovery, environment } = options;
  const { namespace } = discovery;
  const { meshDomain } = environment;
  const common = { meshDomain, namespace, identity, clock, random: Math.random };

  const distribution: ClusterWorkFactory[] =
    authority === undefined
      ? []
      : [
          ({ id, link }) => {
            const logger = withFields(logging.scope('pkica'), { cluster: id });
            const createWatcher = () => link.createWatcher(logger);
            return createRootDistribution({ ...common, authority, send: link.send, createWatcher, logger });
          },
        ];
  return [
    ...distribution,
    ({ id, link }) =>
      createInjectionCaPatcher({
        ...common,
        ...link,
        caBundle,
        configName: environment.injectionWebhookConfigName,
        logger: withFields(logging.scope('default'), { cluster: id }),
      }),
    ({ id, link }) =>
      createValidationController({
        ...common,
        ...link,
        caBundle,
        configName: environment.validationWebhookConfigName,
        rules: webhookRules(kinds.definitions, meshDomain),
        logger: withFields(logging.scope('validationController'), { cluster: id }),
        metrics,
      }),
  ];
}
