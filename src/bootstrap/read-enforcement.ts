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

/** The part of `Enforcement` that flags and variables decide. */
export function enforcementSettings({ discovery, environment }: Options) {
  return {
    isPluginOn: discovery.plugins.includes('policy'),
    isAuthnOff: !discovery.plugins.includes('authn'),
    isAuthzOff: !discovery.plugins.includes('authz'),
    isGatewayScopedToNamespace: environment.navScopeGatewayToNamespace,
    areDelegatesOn: environment.navEnableVirtualServiceDelegate,
    expressionLanguage: environment.meshLang,
    regexLimits: regexLimitsOf(environment),
  } satisfies Partial<Enforcement>;
}

/** How this process enforces policies now, for the analysis of objects. */
export function readEnforcement(options: Options, { policy, webhooks, keySets }: EnforcementSources): Enforcement {
  return {
    ...enforcementSettings(options),
    proxyImage: webhooks.proxyImage(),
    limitedQuotas: policy.limitedQuotas(),
    isPod: options.environment.podName !== '',
    quotaDimensions: policy.quotaDimensions(),
    unsharedCounters: policy.unsharedCounters(),
    failedHandlers: policy.failedHandlers() ?? 'decided elsewhere',
    keySourceProblems: keySets.problems(),
  };
}
