import type { PolicyOptions } from '../bootstrap/options.js';
import { loopbackDefaults, withDrainDefault } from './outside-cluster.js';
import { flagSource, type GivenFlags, parseCommonFlags, unknownVariables, variableSource } from './parse-options.js';
import { environmentVariables } from './settings/environment-variables.js';
import { policyFlags } from './settings/policy-flags.js';
import { readSettings } from './settings/read-settings.js';
import { regexVariables } from './settings/variables/regex-variables.js';

/** The variables that `navigator-policy` reads. */
export const policyVariables = {
  bypassOopMtlsSanVerification: environmentVariables.bypassOopMtlsSanVerification,
  navAdapterCredentialsDir: environmentVariables.navAdapterCredentialsDir,
  navEgressAllowed: environmentVariables.navEgressAllowed,
  podNamespace: environmentVariables.podNamespace,
  navMetricsMinIntervalMs: environmentVariables.navMetricsMinIntervalMs,
  navPolicyConfigDefaults: environmentVariables.navPolicyConfigDefaults,
  navRegexExpressionBytes: regexVariables.navRegexExpressionBytes,
  navRegexMessageBytes: regexVariables.navRegexMessageBytes,
  navRegexProgramsBytes: regexVariables.navRegexProgramsBytes,
  navRegexServiceBytes: regexVariables.navRegexServiceBytes,
};

/**
 * Parses the flags and variables of `navigator-policy serve`, and fills in defaults.
 *
 * @throws SettingError for the first invalid value
 */
export function parsePolicyOptions(
  given: GivenFlags,
  variables: Readonly<Record<string, string | undefined>>,
): PolicyOptions {
  const common = parseCommonFlags(given);
  const policy = readSettings(policyFlags, flagSource(given));
  const environment = readSettings(policyVariables, variableSource(variables));
  const {
    bypassOopMtlsSanVerification,
    navAdapterCredentialsDir,
    navEgressAllowed,
    podNamespace,
    navMetricsMinIntervalMs,
    navPolicyConfigDefaults,
    ...regexes
  } = environment.fields;
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
    egressAllowed: navEgressAllowed,
    adapterCredentials: navAdapterCredentialsDir,
    bypassesBackendNames: bypassOopMtlsSanVerification,
    policyConfigDefaults: navPolicyConfigDefaults,
    regexes,
    unimplemented: [...policy.unimplemented, ...common.unimplemented],
    warnings: [...policy.warnings, ...common.warnings, ...unknownVariables(variables)],
    loopback: loopback.changed,
  };
}
