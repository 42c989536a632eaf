import { EMPTY_RESOURCE_SET, type ResourceSet } from '../../envoy/resource-set.js';
import type { Distribution } from '../../push/distributor.js';
import type { ProxySession } from '../proxy-session.js';

/** The resources of a type that a connected proxy should have now; empty for a type that it does not get. */
export function currentResources(distribution: Distribution, session: ProxySession, typeUrl: string): ResourceSet {
  const { proxy } = session;
  if (proxy === undefined || distribution.context === undefined) return EMPTY_RESOURCE_SET;
  const generator = distribution.generatorOf(typeUrl, proxy);
  if (generator === undefined) return EMPTY_RESOURCE_SET;
  if (generator.mode === 'grouped') return session.resourcesOf(typeUrl);
  return distribution.resources.resourcesFor(generator, proxy, session.namesOf(typeUrl));
}
