import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { checkClusterOf, reportClusterOf } from '../../model/policy/policy-servers.js';
import type { ConfigEncoder } from '../../policy/wire/config-encoder.js';
import type { NetworkingPlugin } from '../plugins/networking-plugin.js';
import type { GeneratorSettings } from '../settings.js';
import { createExtensionConfigGenerator } from './extension-config-generator.js';
import { createPolicyClustersPart } from './policy-clusters-part.js';
import { createListenerPlanner } from './policy-listener-plan.js';
import { createPolicyLookups } from './policy-lookups.js';
import { createRoutePlanner } from './policy-route-plan.js';

/**
 * All that the policy plugin adds to the resources of proxies.
 *
 * @param texts writes the client configuration and attributes that proxies send to the policy server
 */
export function createPolicyPlugin(
  encoder: MessageEncoder,
  texts: ConfigEncoder,
  settings: GeneratorSettings,
): Required<NetworkingPlugin> {
  const lookups = createPolicyLookups();
  return {
    name: 'policy',
    planListeners: createListenerPlanner(encoder, settings, lookups),
    ...createRoutePlanner(encoder, texts, lookups),
    clusters: createPolicyClustersPart(encoder, settings),
    calledClusters: ({ mesh }) => [checkClusterOf(mesh.policy), reportClusterOf(mesh.policy)],
    extensionConfigs: createExtensionConfigGenerator(encoder, texts, lookups),
  };
}
