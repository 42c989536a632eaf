import type { GeneratorSettings } from '../generators/settings.js';
import type { Environment } from './options.js';

/**
 * The variables of SPEC 4.6 that change what proxies are served.
 *
 * @param embeddedPolicyPort of the policy server in this process
 */
export function generatorSettings(environment: Environment, embeddedPolicyPort: () => number): GeneratorSettings {
  return {
    initialFetchTimeoutMs: environment.navInitialFetchTimeoutMs,
    http10: environment.navHttp10,
    traceSamplingPercent: environment.navTraceSamplingPercent,
    defaultRequestTimeoutMs: environment.meshDefaultRequestTimeoutMs,
    sidecarUseRemoteAddress: environment.navSidecarUseRemoteAddress,
    sniffInbound: environment.navEnableProtocolSniffingForInbound,
    sniffOutbound: environment.navEnableProtocolSniffingForOutbound,
    inboundProtocolDetectionTimeoutMs: environment.navInboundProtocolDetectionTimeoutMs,
    edsForHeadlessServices: environment.navEnableEdsForHeadlessServices,
    headlessPodListeners: environment.navEnableHeadlessServicePodListeners,
    keyValueFilter: environment.navEnableKeyvalueFilter,
    thriftFilter: environment.navEnableThriftFilter,
    embeddedPolicyPort,
  };
}
