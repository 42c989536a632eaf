import { SERVICE_NAMESPACE } from '../../config/attributes/service-namespace.js';
import type { AttributeLayer } from './attribute-bag.js';

/** Attributes of a tenant, caller or proxy, without one that names the namespace of the service. */
export function withoutServiceNamespace(layer: AttributeLayer): AttributeLayer {
  if (!layer.has(SERVICE_NAMESPACE)) return layer;
  return new Map([...layer].filter(([name]) => name !== SERVICE_NAMESPACE));
}
