import type { InjectionValues } from '../../../config/injection/injection-config.js';
import type { ProxyConfig } from '../../../config/mesh/mesh-config.js';
import { own, ownMapping } from '../pod.js';

/**
 * Whether peers find a proxy with a certificate behind the pod's ports. A proxy gets none over a connection to the
 * control plane that proves nothing, and where nothing is intercepted, peers reach the application itself.
 *
 * @param interceptionMode what the pod says, if anything; else it is `traffic.interceptionMode` of the values
 */
export function takesMutualTls(
  interceptionMode: unknown,
  { controlPlaneAuthPolicy }: ProxyConfig,
  values: InjectionValues,
): boolean {
  const usual = own(ownMapping(values, 'traffic') ?? {}, 'interceptionMode');
  return controlPlaneAuthPolicy !== 'NONE' && (interceptionMode ?? usual) !== 'NONE';
}
