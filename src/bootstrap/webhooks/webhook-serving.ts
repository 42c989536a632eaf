import type { ServerCertificateSource } from '../../ca/server-certificate/server-certificate-source.js';
import type { ReadinessProbe } from '../../introspection/ready.js';
import type { ConfigProblem } from '../../introspection/views.js';
import type { PushContext } from '../../model/push-context.js';
import type { ClusterConnection } from '../cluster-connection.js';
import type { ListenAddress } from '../options.js';
import { StartError } from '../start-error.js';
import { createCertificateProbe } from './certificate-probe.js';
import type { WebhookRuntime, WebhookRuntimeParts } from './webhook-runtime.js';

export interface WebhookServingParts extends Omit<WebhookRuntimeParts, 'cluster' | 'certificate'> {
  /** Undefined where no cluster is read. */
  readonly cluster: ClusterConnection | undefined;
}

/** The webhooks of a process, which are loaded and started only where a cluster is read. */
export interface WebhookServing {
  /**
   * Settles with the address, or with undefined where no cluster is read.
   *
   * @param certificate of the HTTPS listener
   * @throws ListenError; SettingsRefusedError when a file of the injector cannot be used
   */
  start(certificate: ServerCertificateSource): Promise<ListenAddress | undefined>;
  observe(context: PushContext): void;
  /** Not ready while the webhooks have no certificate. */
  readonly probe: ReadinessProbe;
  /** Text of the injector's template; undefined while the injector is off. */
  injectionTemplate(): string | undefined;
  /** Image of the proxies of new pods; undefined where it is unknown. */
  proxyImage(): string | undefined;
  problems(): readonly ConfigProblem[];
  stop(): Promise<void>;
}

export function createWebhookServing(parts: WebhookServingParts): WebhookServing {
  let runtime: WebhookRuntime | undefined;
  let served: ServerCertificateSource | undefined;
  let newest: PushContext | undefined;
  let isStopped = false;
  return {
    start: async (certificate) => {
      const cluster = await parts.cluster?.open();
      if (cluster === undefined) return undefined;
      // The validator and the injector are half of the modules of the process: without a cluster they are not loaded.
      const { createWebhookRuntime } = await import('./webhook-runtime.js');
      if (isStopped) throw new StartError('the server was told to stop while it started');
      served = certificate;
      runtime = createWebhookRuntime({ ...parts, cluster, certificate });
      if (newest !== undefined) runtime.observe(newest);
      return await runtime.start();
    },
    observe: (context) => {
      newest = context;
      runtime?.observe(context);
    },
    probe: createCertificateProbe({
      isServed: () => runtime === undefined || served?.current() !== undefined,
      clock: parts.clock,
      logger: parts.logging.scope('pkica'),
    }),
    injectionTemplate: () => runtime?.injectionTemplate(),
    proxyImage: () => runtime?.proxyImage(),
    problems: () => runtime?.problems() ?? [],
    stop: async () => {
      isStopped = true;
      await runtime?.stop();
    },
  };
}
