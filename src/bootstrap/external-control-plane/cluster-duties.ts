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
  /** Undefined where ENABLE_CA_SERVER is false: there are no root certificates to distribute. */
  readonly authority: CertificateAuthority | undefined;
  /** The root certificates of our HTTPS server. */
  readonly caBundle: CaBundleSource;
  readonly kinds: Pick<KindRegistry, 'definitions'>;
  /** Unique among the instances of the control plane. */
  readonly identity: string;
  readonly metrics: Metrics;
  readonly logging: Logging;
  readonly clock: Clock;
}

/**
 * The duties of an external control plane in each remote cluster (CENTRAL_MESHD;
 * docs/reference/sources.md#several-clusters): the ConfigMap with the root certificates in every namespace, and the
 * caBundle of our HTTPS server in the existing webhook configurations. The Leases are in the remote cluster, in the
 * namespace with the name of the control plane's, so that replicas elect a leader there as in the own cluster.
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
        revision: environment.revision,
        rules: webhookRules(kinds.definitions, meshDomain),
        logger: withFields(logging.scope('validationController'), { cluster: id }),
        metrics,
      }),
  ];
}
