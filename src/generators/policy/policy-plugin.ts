import type { MessageEncoder } from '../../envoy/message-encoder.js';
import type { ConfigEncoder } from '../../policy/wire/config-encoder.js';
import type { NamedGenerator, ResourcePart } from '../generator.js';
import type { FilterPlugin } from '../listeners/filter-plugin.js';
import type { RoutePlugin } from '../routes/route-plugin.js';
import type { GeneratorSettings } from '../settings.js';
import { createExtensionConfigGenerator, type ExtensionConfigScope } from './extension-config-generator.js';
import { createPolicyClustersPart, type PolicyClustersScope } from './policy-clusters-part.js';
import { createPolicyFilterPlugin } from './policy-filter-plugin.js';
import { createPolicyRoutePlugin } from './policy-route-plugin.js';
import { createPolicyFacts } from './proxy-facts.js';

/** All that the policy plugin adds to what proxies are served (BEHAVIOUR 5, "policy plugin"). */
export interface PolicyPlugin {
  readonly filters: FilterPlugin;
  readonly routes: RoutePlugin;
  readonly clusters: ResourcePart<PolicyClustersScope>;
  /** Of the filters that listeners name. */
  readonly extensionConfigs: NamedGenerator<ExtensionConfigScope>;
}

/** @param texts writes what proxies tell the policy server of themselves */
export function createPolicyPlugin(
  encoder: MessageEncoder,
  texts: ConfigEncoder,
  settings: GeneratorSettings,
): PolicyPlugin {
  const factsOf = createPolicyFacts();
  return {
    filters: createPolicyFilterPlugin(encoder, settings, factsOf),
    routes: createPolicyRoutePlugin(encoder, texts, factsOf),
    clusters: createPolicyClustersPart(encoder, settings),
    extensionConfigs: createExtensionConfigGenerator(encoder, texts, factsOf),
  };
}
