import type { PolicyOptions } from '../bootstrap/options.js';
import { flagSource, type GivenFlags, parseCommonFlags, variableSource } from './parse-options.js';
import { environmentVariables } from './settings/environment-variables.js';
import { policyFlags } from './settings/policy-flags.js';
import { readSettings } from './settings/read-settings.js';

/** The variables that `navigator-policy` reads; all others concern discovery. */
export const policyVariables = {
  podNamespace: environmentVariables.podNamespace,
  navMetricsMinIntervalMs: environmentVariables.navMetricsMinIntervalMs,
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
  const isNamespaceGiven = policy.explicit.includes('--namespace') && policy.fields.namespace !== '';
  const namespace = isNamespaceGiven ? policy.fields.namespace : environment.fields.podNamespace;
  return {
    policy: { ...policy.fields, namespace },
    common: common.fields,
    metricsMinIntervalMs: environment.fields.navMetricsMinIntervalMs,
    unlanded: [...policy.unlanded, ...common.unlanded],
    warnings: [...policy.warnings, ...common.warnings],
  };
}
