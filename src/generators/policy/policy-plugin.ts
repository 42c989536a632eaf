import type { MessageEncoder } from '../../envoy/message-encoder.js';
import type { ConfigEncoder } from '../../policy/wire/config-encoder.js';
import type { NetworkingPlugin } from '../plugins/networking-plugin.js';
import type { GeneratorSettings } from '../settings.js';
import { createExtensionConfigGenerator } from './extension-config-generator.js';
import { createPolicyClustersPart } from './policy-clusters-part.js';
import { createListenerPlanner } from './policy-listener-plan.js';
import { createRoutePlanner } from './policy-route-plan.js';
import { createPolicyFacts } from './proxy-facts.js';

/**
 * All that the policy plugin adds to what proxies are served (BEHAVIOUR 5, "policy plugin").
 *
 * @param texts writes what proxies tell the policy server of themselves
 */
export function createPolicyPlugin(
  encoder: MessageEncoder,
  texts: ConfigEncoder,
  settings: GeneratorSettings,
): NetworkingPlugin {
  const factsOf = createPolicyFacts();
  return {
    name: 'policy',
    planListeners: createListenerPlanner(encoder, settings, factsOf),
    ...createRoutePlanner(encoder, texts, factsOf),
    clusters: createPolicyClustersPart(encoder, settings),
    extensionConfigs: createExtensionConfigGenerator(encoder, texts, factsOf),
  };
}
