import { errorText } from '../../../base/error-text.js';
import type { Logger } from '../../../telemetry/logger.js';
import {
  createSubscription,
  type Subscription,
  type SubscriptionEnvironment,
} from '../../../xds-client/subscription.js';
import type { IndexedPlan } from '../../plans/index-keys.js';
import { POLICY_TYPE_URLS } from '../../wire/call-metadata.js';
import type { PacedWork } from '../paced-work.js';
import type { PlanReader } from './plan-reader.js';
import { type ResourceSet, readResourceSetInSteps } from './resource-set.js';

export interface PlanSubscriptionDependencies extends SubscriptionEnvironment {
  readonly readPlan: PlanReader;
  /** Reads responses in slices, so that checks do not wait for a plan with many keys. */
  readonly work: PacedWork;
  readonly logger: Logger;
  /** Called when a response is in force, before its acknowledgement. */
  readonly onChange: () => void;
}

/** The plans of the mesh from a discovery server. The last ones stay in force without a connection. */
export interface PlanSubscription extends Subscription {
  /** A plan by its name in ServiceConfigs. */
  plan(name: string): IndexedPlan | undefined;
  planNames(): readonly string[];
}

/**
 * Subscribes to all plans over ADS. The last ones stay in force without a connection, which the subscription of services
 * reports, and after an invalid response, which is rejected with its problem.
 */
export function createPlanSubscription(dependencies: PlanSubscriptionDependencies): PlanSubscription {
  const { readPlan, work, logger, onChange } = dependencies;
  const typeUrl = POLICY_TYPE_URLS.plan;
  let plans: ResourceSet<IndexedPlan> = new Map();
  let version = '';

  const subscription = createSubscription(dependencies, {
    typeUrl,
    version: () => version,
    take: async (response) => {
      plans = await work.run(typeUrl, readResourceSetInSteps(response.resources, typeUrl, plans, readPlan));
      const isNew = response.version !== version;
      version = response.version;
      if (isNew) logger.info({ version, plans: plans.size }, 'plans activated');
      onChange();
    },
    refused: (error) => {
      const reason = errorText(error);
      logger.error({ reason, version }, 'plans rejected, the former ones stay in force');
      return reason;
    },
    connected: () => undefined,
    disconnected: () => undefined,
  });
  return { ...subscription, plan: (name) => plans.get(name)?.value, planNames: () => [...plans.keys()] };
}
