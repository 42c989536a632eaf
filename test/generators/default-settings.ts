import type { GeneratorSettings } from '../../src/generators/settings.js';

/** The defaults of the settings. */
export const SETTINGS: GeneratorSettings = {
  initialFetchTimeoutMs: 0,
  http10: false,
  traceSamplingPercent: 100,
  defaultRequestTimeoutMs: 0,
  sidecarUseRemoteAddress: false,
  sniffInbound: true,
  sniffOutbound: true,
  inboundProtocolDetectionTimeoutMs: 1000,
  edsForHeadlessServices: false,
  headlessPodListeners: true,
  keyValueFilter: false,
  thriftFilter: false,
  scopeGatewayToNamespace: false,
  filterGatewayClusters: false,
  trustDomain: '',
  skipTrustDomainValidation: false,
  embeddedPolicyPort: () => 15016,
};
