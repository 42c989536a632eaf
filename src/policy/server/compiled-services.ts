import type { ServiceConfig } from '../../config/policy/client-config.js';
import { createRegexBudget } from '../../config/regex/regex-budget.js';
import type { Logger } from '../../telemetry/logger.js';
import { type AttributeLayer, EMPTY_LAYER } from '../client/attribute-bag.js';
import { AttributeValueError, readAttributes } from '../client/attributes-from-config.js';
import type { SpecProblem } from '../client/compile-quota-specs.js';
import type { ServiceCallConfig } from '../client/policy-client.js';
import type { IndexedPlan } from '../plans/index-keys.js';
import type { ServiceOwners } from './callers/service-owners.js';
import {
  type CompiledPolicies,
  createPrepared,
  type Prepared,
  preparePolicies,
  programsOf,
} from './prepare-policies.js';
import type { RegexService } from './regex-service.js';

/** The source of service configurations: the snapshot of the same process, or xDS. Each change makes a new source. */
export interface ServiceConfigSource {
  /** The owners of services; missing where only the configurations name them. */
  readonly owners?: ServiceOwners;
  /**
   * Undefined for a host without a service. An unchanged service keeps the same object, which is the key of its
   * compiled form.
   */
  find(hostname: string): ServiceConfig | undefined;
  /**
   * A plan by its name in ServiceConfigs, which must be there for the names of its services. An unchanged plan keeps the
   * same object. Missing where no service has plans.
   */
  plan?(name: string): IndexedPlan | undefined;
  /** The names of all plans. */
  readonly planNames?: readonly string[];
}

/** The service of a call, without its specs. */
export interface KnownService {
  readonly isKnown: boolean;
  /** `mixerAttributes` of its ServiceConfig. */
  readonly staticLayer: AttributeLayer;
  readonly calls: ServiceCallConfig;
  /** The names of its plans; absent for a service without plans. */
  readonly plans?: readonly string[];
}

/** The service with its compiled specs. */
export interface CompiledService extends KnownService, CompiledPolicies {}

/** Finds services in the current policies. A host without a service has no quotas and no API. */
export interface CompiledServices {
  /** Takes new policies for calls that begin from now on. Running calls keep theirs. */
  observe(policies: ServiceConfigSource): void;
  find(host: string | undefined): KnownService;
  /** With its specs; without a promise when they are compiled. */
  compiled(host: string | undefined): CompiledService | Promise<CompiledService>;
}

/** The number of problems of a service that are logged individually. A metric counts all. */
const MAX_LOGGED = 5;
const NAMESPACE_ATTRIBUTE = 'destination.service.namespace';

/** Compiles a service's specs at its first call, and again only when its configuration is another object. */
export function createCompiledServices(logger: Logger, regexes: RegexService): CompiledServices {
  interface Entry {
    readonly known: KnownService;
    readonly prepared: Prepared<CompiledService>;
  }
  const entries = new WeakMap<ServiceConfig, Entry>();
  let policies: ServiceConfigSource = { find: () => undefined };
  /** The services of the current policies that were called. */
  let byHost = new Map<string, Entry>();

  const entryOf = (config: Partial<ServiceConfig>, isKnown: boolean, host: string): Entry => {
    const { mixerAttributes, networkFailPolicy, disableCheckCalls = false, disableReportCalls = false, plans } = config;
    const known: KnownService = {
      isKnown,
      staticLayer: staticLayerOf(mixerAttributes),
      calls: { disableCheckCalls, disableReportCalls, ...(networkFailPolicy && { networkFailPolicy }) },
      ...(plans !== undefined && plans.length > 0 && { plans }),
    };
    const owner = mixerAttributes?.attributes?.[NAMESPACE_ATTRIBUTE]?.stringValue ?? host;
    const prepared = createPrepared(
      regexes.work,
      owner,
      function* () {
        const check = createRegexBudget({
          maxBytes: regexes.limits.serviceBytes,
          scope: 'of all specs of the service',
          remedy: 'bind fewer or smaller specs to the service, or raise NAV_REGEX_SERVICE_BYTES',
          check: regexes.check,
        });
        const policiesOfService = yield* preparePolicies(config, {
          check,
          home: { programs: regexes.programs, owner },
        });
        const { api, quotas, dryRun } = policiesOfService;
        tellProblems(host, [...api.problems, ...quotas.problems, ...(dryRun?.specs.problems ?? [])]);
        return { ...known, ...policiesOfService };
      },
      programsOf,
    );
    return { known, prepared };
  };

  const tellProblems = (service: string, problems: readonly SpecProblem[]): void => {
    if (problems.length === 0) return;
    regexes.leftOut('service', problems.length);
    for (const { field, message } of problems.slice(0, MAX_LOGGED)) {
      logger.warn({ service, field, problem: message }, 'unusable part of a policy left out');
    }
    const more = problems.length - MAX_LOGGED;
    if (more > 0) logger.warn({ service, more }, 'further unusable parts of a policy left out');
  };

  const unknown = entryOf({}, false, '');
  const find = (host: string | undefined): Entry => {
    if (host === undefined) return unknown;
    const called = byHost.get(host);
    if (called !== undefined) return called;
    const config = policies.find(host);
    // Callers choose hosts: those without a service are not kept.
    if (config === undefined) return unknown;
    const entry = entries.get(config) ?? entryOf(config, true, host);
    entries.set(config, entry);
    byHost.set(host, entry);
    return entry;
  };

  return {
    observe: (next) => {
      policies = next;
      byHost = new Map();
    },
    find: (host) => find(host).known,
    compiled: (host) => find(host).prepared.ready(),
  };
}

/** Unreadable attributes are left out as a whole. Validation has excluded them. */
function staticLayerOf(attributes: ServiceConfig['mixerAttributes']): AttributeLayer {
  try {
    return readAttributes(attributes, 'mixerAttributes');
  } catch (error) {
    if (!(error instanceof AttributeValueError)) throw error;
    return EMPTY_LAYER;
  }
}
