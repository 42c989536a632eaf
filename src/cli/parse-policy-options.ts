import type { PolicyOptions } from '../bootstrap/options.js';
import { withDrainDefault } from './drain-default.js';
import { loopbackDefaults } from './loopback-defaults.js';
import { flagSource, type GivenFlags, parseCommonFlags, variableSource } from './parse-options.js';
import { environmentVariables } from './settings/environment-variables.js';
import { policyFlags } from './settings/policy-flags.js';
import { readSettings } from './settings/read-settings.js';
import { regexVariables } from './settings/variables/regex-variables.js';

/** The variables that `navigator-policy` reads; all others concern discovery. */
export const policyVariables = {
  podNamespace: environmentVariables.podNamespace,
  navMetricsMinIntervalMs: environmentVariables.navMetricsMinIntervalMs,
  navPolicyConfigDefaults: environmentVariables.navPolicyConfigDefaults,
  navRegexExpressionBytes: regexVariables.navRegexExpressionBytes,
  navRegexMessageBytes: regexVariables.navRegexMessageBytes,
  navRegexProgramsBytes: regexVariables.navRegexProgramsBytes,
  navRegexServiceBytes: regexVariables.navRegexServiceBytes,
};

/**
 * Everything that `navigator-policy serve` is told: flags and environment, parsed, checked and defaulted.
 *
 * @throws SettingError for the first value that is not allowed
 */
export function parsePolicyOptions(
  given: GivenFlags,
  variables: Readonly<Record<string, string | undefined>>,
): PolicyOptions {
  const common = parseCommonFlags(given);
  const policy = readSettings(policyFlags, flagSource(given));
  const environment = readSettings(policyVariables, variableSource(variables));
  const { podNamespace, navMetricsMinIntervalMs, navPolicyConfigDefaults, ...regexes } = environment.fields;
  const isNamespaceGiven = policy.explicit.includes('--namespace') && policy.fields.namespace !== '';
  const namespace = isNamespaceGiven ? policy.fields.namespace : podNamespace;
  const loopback = loopbackDefaults(
    { policyAddr: { flag: '--policyAddr', address: policy.fields.policyAddr } },
    policy.explicit,
    variables,
  );
  return {
    policy: { ...policy.fields, ...loopback.fields, namespace },
    common: withDrainDefault(common, variables),
    metricsMinIntervalMs: navMetricsMinIntervalMs,
    policyConfigDefaults: navPolicyConfigDefaults,
    regexes,
    unlanded: [...policy.unlanded, ...common.unlanded],
    warnings: [...policy.warnings, ...common.warnings],
    loopback: loopback.changed,
  };
}
