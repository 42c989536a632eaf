import { adsConfigSource } from '../../envoy/config-source.js';
import { discoveredFilter } from '../../envoy/extension-config.js';
import { JWT_AUTHN, JWT_AUTHN_TYPE } from '../../envoy/jwt-authn.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { labelsOf } from '../../model/security/mutual-tls.js';
import type { NetworkingPlugin } from '../plugins/networking-plugin.js';
import type { GeneratorSettings } from '../settings.js';
import { createAuthenticationConfigGenerator } from './authentication-config-generator.js';

/**
 * The plugin `authn`: the RequestAuthentications of a workload decide which tokens its proxy accepts. A listener only
 * names the filter, and ECDS configures it: new keys of an issuer reach a workload as one small resource, and no listener
 * drains. (For PeerAuthentications, `authn` needs no filter.)
 */
export function createAuthenticationPlugin(
  encoder: MessageEncoder,
  settings: Pick<GeneratorSettings, 'initialFetchTimeoutMs'>,
): NetworkingPlugin & Required<Pick<NetworkingPlugin, 'extensionConfigs'>> {
  const filter = discoveredFilter(JWT_AUTHN, JWT_AUTHN_TYPE, adsConfigSource(settings.initialFetchTimeoutMs));
  return {
    name: 'authn',
    planListeners: (context, proxy) => {
      const { rules } = context.requestAuthentications.ofWorkload(proxy.configNamespace, labelsOf(context, proxy));
      if (rules.length === 0) return undefined;
      return {
        key: '',
        inboundKey: 'jwt',
        httpFilters: ({ direction }) => (direction === 'outbound' ? [] : [filter]),
        networkFilters: () => [],
        httpAccessLogs: () => [],
        tcpAccessLogs: () => undefined,
        localReplies: [],
      };
    },
    planRoutes: () => undefined,
    routesAffectedBy: () => false,
    extensionConfigs: createAuthenticationConfigGenerator(encoder),
  };
}
