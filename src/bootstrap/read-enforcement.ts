import type { Enforcement } from '../status/analysis/analysis-input.js';
import type { RunningKeySets } from './create-key-sets.js';
import { regexLimitsOf } from './map-options.js';
import type { Options } from './options.js';
import type { EmbeddedPolicy } from './policy/embedded-policy.js';
import type { WebhookServing } from './webhooks/webhook-serving.js';

/** The parts of the process whose state the analysis of objects depends on. */
export interface EnforcementSources {
  readonly policy: Pick<EmbeddedPolicy, 'limitedQuotas' | 'quotaDimensions' | 'unsharedCounters' | 'failedHandlers'>;
  readonly webhooks: Pick<WebhookServing, 'proxyImage'>;
  readonly keySets: Pick<RunningKeySets, 'problems'>;
}

/** How this process enforces policies now, for the analysis of objects. */
export function readEnforcement(
  { discovery, environment }: Options,
  { policy, webhooks, keySets }: EnforcementSources,
): Enforcement {
  return {
    isPluginOn: discovery.plugins.includes('policy'),
    isAuthnOff: !discovery.plugins.includes('authn'),
    isAuthzOff: !discovery.plugins.includes('authz'),
    isGatewayScopedToNamespace: environment.navScopeGatewayToNamespace,
    areDelegatesOn: environment.navEnableVirtualServiceDelegate,
    expressionLanguage: environment.meshLang,
    proxyImage: webhooks.proxyImage(),
    limitedQuotas: policy.limitedQuotas(),
    isPod: environment.podName !== '',
    quotaDimensions: policy.quotaDimensions(),
    unsharedCounters: policy.unsharedCounters(),
    failedHandlers: policy.failedHandlers() ?? 'decided elsewhere',
    regexLimits: regexLimitsOf(environment),
    keySourceProblems: keySets.problems(),
  };
}
