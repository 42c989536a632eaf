import type { ServiceConfig } from '../../../config/policy/client-config.js';
import type { EncodedResource } from '../../../envoy/encoded-resource.js';
import { frameNamedResource } from '../../../envoy/message-encoder.js';
import { createMemo } from '../../../model/memo.js';
import { checkServerOf, reportServerOf } from '../../../model/policy/policy-servers.js';
import type { PolicyContext, ServicePolicies } from '../../../model/policy/service-policies.js';
import { POLICY_TYPE_URLS } from '../../../policy/wire/call-metadata.js';
import type { ConfigEncoder } from '../../../policy/wire/config-encoder.js';
import type { ResourcePart, Scope, WildcardGenerator } from '../../generator.js';
import { serviceConfigsAffectedBy } from '../affected-by.js';

interface ServiceConfigScope extends Scope {
  /** The namespace of the services; undefined for all services. */
  readonly namespace: string | undefined;
}

/**
 * ServiceConfigs by host. A policy server, which serves all proxies, gets those of all services of the mesh; a workload
 * gets those of its own namespace. A service is encoded again only when it has changed.
 */
export function createServiceConfigGenerator(
  configs: ConfigEncoder,
  policiesOf: (context: PolicyContext) => ServicePolicies,
): WildcardGenerator {
  const memo = createMemo<EncodedResource>();

  const resourceOf = (hostname: string, config: ServiceConfig): EncodedResource =>
    memo.of([config], hostname, () =>
      frameNamedResource(POLICY_TYPE_URLS.serviceConfig, hostname, configs.serviceConfig(config)),
    );

  const part: ResourcePart<ServiceConfigScope> = {
    name: 'services',
    scope: ({ mesh }, { seesAllPolicies = true, configNamespace }) => {
      if (checkServerOf(mesh) === undefined && reportServerOf(mesh) === undefined) return undefined;
      const namespace = seesAllPolicies ? undefined : configNamespace;
      return { key: namespace ?? '', namespace };
    },
    generate: (context, { namespace }) => {
      const { configOf } = policiesOf(context);
      const services = context.services.filter((service) => namespace === undefined || service.namespace === namespace);
      const resources = services.map((service) => resourceOf(service.hostname, configOf(service)));
      return { resources, findings: [] };
    },
  };
  return {
    mode: 'wildcard',
    typeUrl: POLICY_TYPE_URLS.serviceConfig,
    parts: [part],
    affectedBy: serviceConfigsAffectedBy,
  };
}
