import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import { createServicePolicies } from '../../../model/policy/service-policies.js';
import { createConfigEncoder } from '../../../policy/wire/config-encoder.js';
import type { WildcardGenerator } from '../../generator.js';
import type { GeneratorSettings } from '../../settings.js';
import { createPolicyFacts } from '../proxy-facts.js';
import { createHttpClientConfigGenerator } from './http-client-config-generator.js';
import { createPlanGenerator } from './plan-generator.js';
import { createRuleObjectGenerator } from './rule-object-generator.js';
import { createServiceConfigGenerator } from './service-config-generator.js';
import { createTcpClientConfigGenerator } from './tcp-client-config-generator.js';

/** The generators of all client configurations, and of what policy servers get. @param language of rules */
export function createPolicyConfigGenerators(
  encoder: MessageEncoder,
  settings: Pick<GeneratorSettings, 'sniffInbound' | 'sniffOutbound'>,
  language: string,
): readonly WildcardGenerator[] {
  const configs = createConfigEncoder(encoder);
  const factsOf = createPolicyFacts();
  const policiesOf = createServicePolicies();
  return [
    createHttpClientConfigGenerator(configs, factsOf),
    createTcpClientConfigGenerator(configs, factsOf, policiesOf, settings),
    createServiceConfigGenerator(configs, policiesOf),
    createRuleObjectGenerator(encoder, language),
    createPlanGenerator(configs, policiesOf),
  ];
}
