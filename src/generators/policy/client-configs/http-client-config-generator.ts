import { frameNamedResource } from '../../../envoy/message-encoder.js';
import { hasHttpPolicy, httpClientConfigOf } from '../../../model/policy/client-configs.js';
import type { Direction } from '../../../model/policy/proxy-policy.js';
import { POLICY_TYPE_URLS } from '../../../policy/wire/call-metadata.js';
import type { ConfigEncoder } from '../../../policy/wire/config-encoder.js';
import type { ResourcePart, Scope, WildcardGenerator } from '../../generator.js';
import { httpClientConfigsAffectedBy } from '../affected-by.js';
import { createLabelledFacts, type PolicyFacts, type PolicyFactsOf } from '../proxy-facts.js';

interface HttpScope extends Scope {
  readonly facts: PolicyFacts;
}

const DIRECTIONS: readonly Direction[] = ['inbound', 'outbound'];

/**
 * The HttpClientConfigs of a proxy, `inbound` and `outbound`, for the directions that check or report. Configurations of
 * services are separate resources, ServiceConfigs, by host.
 */
export function createHttpClientConfigGenerator(configs: ConfigEncoder, factsOf: PolicyFactsOf): WildcardGenerator {
  const labelledFactsOf = createLabelledFacts(factsOf);
  const part: ResourcePart<HttpScope> = {
    name: 'http',
    scope: (context, proxy) => {
      const facts = labelledFactsOf(context, proxy);
      return facts && { key: facts.key, facts };
    },
    generate: (_context, { facts: { policy, identity } }) => ({
      resources: DIRECTIONS.filter((direction) => identity.type === 'sidecar' || direction === 'outbound')
        .filter((direction) => hasHttpPolicy(policy, direction))
        .map((direction) => {
          const config = httpClientConfigOf(policy, identity, direction);
          return frameNamedResource(POLICY_TYPE_URLS.httpClientConfig, direction, configs.httpClientConfig(config));
        }),
      findings: [],
    }),
  };
  return {
    mode: 'wildcard',
    typeUrl: POLICY_TYPE_URLS.httpClientConfig,
    parts: [part],
    affectedBy: httpClientConfigsAffectedBy,
  };
}
