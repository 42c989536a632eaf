import type { RegexLimits } from '../config/regex/regex-limits.js';
import type { PolicyRegexEnvironment, RegexEnvironment } from './options.js';

export function regexLimitsOf(environment: RegexEnvironment): RegexLimits {
  return {
    ...policyRegexLimitsOf(environment),
    objectBytes: environment.navRegexObjectBytes,
    namespaceBytes: environment.navRegexNamespaceBytes,
  };
}

/** Those that a policy server needs. */
export function policyRegexLimitsOf(environment: PolicyRegexEnvironment) {
  return {
    expressionBytes: environment.navRegexExpressionBytes,
    serviceBytes: environment.navRegexServiceBytes,
    messageBytes: environment.navRegexMessageBytes,
    programsBytes: environment.navRegexProgramsBytes,
  };
}
