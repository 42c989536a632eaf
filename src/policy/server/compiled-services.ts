import type { ServiceConfig } from '../../config/policy/client-config.js';
import type { Logger } from '../../telemetry/logger.js';
import { type AttributeLayer, EMPTY_LAYER } from '../client/attribute-bag.js';
import { AttributeValueError, readAttributes } from '../client/attributes-from-config.js';
import { type CompiledApiSpecs, compileApiSpecs } from '../client/compile-api-specs.js';
import { type CompiledQuotaSpecs, compileQuotaSpecs } from '../client/compile-quota-specs.js';
import type { ServiceCallConfig } from '../client/policy-client.js';
import type { ServicePolicies } from './service-policies.js';

/** What is known of the service of a call, ready for use. */
export interface CompiledService {
  readonly isKnown: boolean;
  readonly api: CompiledApiSpecs;
  readonly quotas: CompiledQuotaSpecs;
  /** `mixerAttributes` of its ServiceConfig. */
  readonly staticLayer: AttributeLayer;
  readonly calls: ServiceCallConfig;
}

/** Finds services in the current policies. */
export interface CompiledServices {
  /** Takes new policies: calls that begin from now on go by them, those under way by what they began with. */
  observe(policies: ServicePolicies): void;
  /** A host that is no service has no quotas and no API. */
  find(host: string | undefined): CompiledService;
}

/** Compiles a service's specs at its first call, and again only when its configuration is another object. */
export function createCompiledServices(logger: Logger): CompiledServices {
  const compiled = new WeakMap<ServiceConfig, CompiledService>();
  const unknown: CompiledService = { ...compile({}), isKnown: false };
  let policies: ServicePolicies = { find: () => undefined };

  return {
    observe: (next) => {
      policies = next;
    },
    find: (host) => {
      const config = host === undefined ? undefined : policies.find(host);
      if (config === undefined) return unknown;
      const known = compiled.get(config);
      if (known !== undefined) return known;
      const service = compile(config);
      compiled.set(config, service);
      for (const { field, message } of [...service.api.problems, ...service.quotas.problems]) {
        logger.warn({ service: host, field, problem: message }, 'A part of a policy cannot be used and is left out');
      }
      return service;
    },
  };
}

function compile(config: Partial<ServiceConfig>): CompiledService {
  const { httpApiSpec = [], quotaSpec = [], mixerAttributes, networkFailPolicy } = config;
  const { disableCheckCalls = false, disableReportCalls = false } = config;
  return {
    isKnown: true,
    api: compileApiSpecs(httpApiSpec),
    quotas: compileQuotaSpecs(quotaSpec),
    staticLayer: staticLayerOf(mixerAttributes),
    calls: { disableCheckCalls, disableReportCalls, ...(networkFailPolicy && { networkFailPolicy }) },
  };
}

/** Attributes that cannot be read are left out as a whole: validated configuration does not get here. */
function staticLayerOf(attributes: ServiceConfig['mixerAttributes']): AttributeLayer {
  try {
    return readAttributes(attributes, 'mixerAttributes');
  } catch (error) {
    if (!(error instanceof AttributeValueError)) throw error;
    return EMPTY_LAYER;
  }
}
