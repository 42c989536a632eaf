import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import { type AddressFamilies, addressFamiliesOf } from '../address-families.js';
import type { ListenerPlan } from '../plugins/listener-plan.js';
import type { ListenerPlugin } from '../plugins/networking-plugin.js';
import { type TracingCollector, tracingCollectorOf } from './tracing-collector.js';

/** What every listener's filters read of a proxy. */
export interface ListenerFacts {
  readonly families: AddressFamilies;
  /** Metadata HTTP10. */
  readonly http10: boolean;
  /** Metadata IDLE_TIMEOUT. */
  readonly idleTimeoutMs: number | undefined;
  /** Where its spans go; undefined for no tracing. */
  readonly tracing: TracingCollector | undefined;
  /** Whether its requests may travel in mutual TLS. */
  readonly sendsMutualTls: boolean;
  /** What the plugins add, in their order. */
  readonly plans: readonly ListenerPlan[];
  /** Names all of the above: equal facts have equal keys. */
  readonly key: string;
}

export function listenerFactsOf(context: PushContext, proxy: Proxy, plugins: readonly ListenerPlugin[]): ListenerFacts {
  const families = addressFamiliesOf(proxy.ipAddresses);
  const http10 = proxy.metadata.http10 ?? false;
  const { idleTimeoutMs } = proxy.metadata;
  const tracing = tracingCollectorOf(context, context.viewOf(proxy.configNamespace));
  const family = `${families.ipv4 ? '4' : ''}${families.ipv6 ? '6' : ''}`;
  const sendsMutualTls = proxy.hasSecrets && context.mesh.enableAutoMtls;
  const plans = plugins.flatMap((plugin) => plugin.planListeners(context, proxy) ?? []);
  const flags = [http10 ? 'http10' : '', sendsMutualTls ? 'mtls' : ''].join();
  const key = [
    family,
    flags,
    idleTimeoutMs ?? '',
    tracing?.cluster ?? '',
    JSON.stringify(plans.map((plan) => plan.key)),
  ].join('|');
  return { families, http10, idleTimeoutMs, tracing, sendsMutualTls, plans, key };
}
