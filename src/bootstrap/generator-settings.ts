import type { GeneratorSettings } from '../generators/settings.js';
import type { Environment } from './options.js';

/** The variables of SPEC 4.6 that change what proxies are served, and the flags that do. */
export function generatorSettings(
  environment: Environment,
  {
    trustDomain,
    embeddedPolicyPort,
    policyServerIdentity,
  }: Pick<GeneratorSettings, 'trustDomain' | 'embeddedPolicyPort' | 'policyServerIdentity'>,
): GeneratorSettings {
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
    trustDomain,
    skipTrustDomainValidation: environment.navSkipValidateTrustDomain,
    embeddedPolicyPort,
    ...(policyServerIdentity && { policyServerIdentity }),
  };
}
