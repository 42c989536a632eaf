import type { Environment } from '../bootstrap/environment.js';
import type { CommonFlags, DiscoveryFlags, Options } from '../bootstrap/options.js';
import { loopbackDefaults, withDrainDefault } from './outside-cluster.js';
import { commonFlags } from './settings/common-flags.js';
import { discoveryFlags } from './settings/discovery-flags.js';
import { environmentVariables } from './settings/environment-variables.js';
import { type ReadSettings, readSettings, type SettingSource } from './settings/read-settings.js';

/** The texts of each flag, by name without dashes, from `parseArguments`. */
export type GivenFlags = ReadonlyMap<string, readonly string[]>;

/** Reads flags. Labels in messages have dashes. */
export function flagSource(given: GivenFlags): SettingSource {
  return { label: (name) => `--${name}`, lookup: (name) => given.get(name) };
}

/** Reads variables. An empty variable counts as not set, unless `Variable.takesEmpty` is true. */
export function variableSource(variables: Readonly<Record<string, string | undefined>>): SettingSource {
  return {
    label: (name) => name,
    lookup: (name, takesEmpty) => {
      const text = Object.hasOwn(variables, name) ? variables[name] : undefined;
      return text === undefined || (text === '' && !takesEmpty) ? undefined : [text];
    },
  };
}

/** Reads the flags that every command accepts. @throws SettingError */
export function parseCommonFlags(given: GivenFlags): ReadSettings<CommonFlags> {
  return readSettings(commonFlags, flagSource(given));
}

/**
 * Parses the flags and variables of `discovery`, fills in defaults, and applies precedence between flags and variables.
 *
 * @throws SettingError for the first invalid value
 */
export function parseOptions(given: GivenFlags, variables: Readonly<Record<string, string | undefined>>): Options {
  const common = parseCommonFlags(given);
  const discovery = readSettings(discoveryFlags, flagSource(given));
  const environment = readSettings(environmentVariables, variableSource(variables));
  const explicit = new Set([...discovery.explicit, ...common.explicit, ...environment.explicit]);
  const { grpcAddr, httpAddr, policyAddr } = discovery.fields;
  const loopback = loopbackDefaults(
    {
      grpcAddr: { flag: '--grpcAddr', address: grpcAddr },
      httpAddr: { flag: '--httpAddr', address: httpAddr },
      policyAddr: { flag: '--policyAddr', address: policyAddr },
    },
    explicit,
    variables,
  );
  const flags = { ...discovery.fields, ...loopback.fields };
  const resolved = resolveFallbacks(flags, environment.fields, explicit);

  return {
    discovery: resolved,
    common: withDrainDefault(common, variables),
    environment: fillNamespace(environment.fields, resolved.namespace),
    explicit,
    unimplemented: [...discovery.unimplemented, ...common.unimplemented, ...environment.unimplemented],
    warnings: [...discovery.warnings, ...common.warnings, ...environment.warnings],
    loopback: loopback.changed,
  };
}

/**
 * Applies variables that replace missing flags. --appNamespace always includes the namespace of the control plane
 * (docs/reference/sources.md#selection).
 */
function resolveFallbacks(
  flags: DiscoveryFlags,
  environment: Environment,
  explicit: ReadonlySet<string>,
): DiscoveryFlags {
  const givenNamespace = explicit.has('--namespace') ? flags.namespace : '';
  const namespace = givenNamespace === '' ? environment.podNamespace : givenNamespace;
  const appNamespaces = flags.appNamespaces.length === 0 ? [] : [...new Set([...flags.appNamespaces, namespace])];
  const clusterId = explicit.has('--clusterID') ? flags.clusterId : environment.clusterId;
  return { ...flags, namespace, appNamespaces, clusterId };
}

/** Replaces the placeholder in VALIDATION_WEBHOOK_CONFIG_NAME. */
function fillNamespace(environment: Environment, namespace: string): Environment {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: users write this text.
  const placeholder = '${namespace}';
  const name = environment.validationWebhookConfigName.replaceAll(placeholder, namespace);
  return { ...environment, validationWebhookConfigName: name };
}
