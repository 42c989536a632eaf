import { nearestName } from '../base/nearest-name.js';
import type { Environment } from '../bootstrap/environment.js';
import type { CommonFlags, DiscoveryFlags, Options, SettingWarning } from '../bootstrap/options.js';
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

/** Kubernetes sets these for each Service of the namespace, for example NAV_SERVICE_HOST for a Service named nav. */
const SERVICE_LINK = /_(SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

/** A warning for each variable that begins with NAV_ and has no effect: a typing error, or a variable of another version. */
export function unknownVariables(variables: Readonly<Record<string, string | undefined>>): readonly SettingWarning[] {
  const known = new Set(Object.values(environmentVariables).map(({ name }) => name));
  return Object.keys(variables)
    .filter((name) => name.startsWith('NAV_') && !known.has(name) && !SERVICE_LINK.test(name))
    .map((setting) => {
      const nearest = nearestName(setting, known);
      const remedy = nearest === undefined ? '--help lists the variables' : `did you mean ${nearest}?`;
      return { setting, problem: `there is no such variable, so it has no effect; ${remedy}` };
    });
}

/** A warning for each variable of OpenTelemetry that has no effect, if traces are made. */
function unusedTracingVariables(
  variables: Readonly<Record<string, string | undefined>>,
  explicit: ReadonlySet<string>,
): readonly SettingWarning[] {
  if (!['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].some((name) => explicit.has(name)))
    return [];
  const known = new Set<string>(Object.values(environmentVariables).map(({ name }) => name));
  const problem = 'traces of changes do not follow it, so it has no effect (docs/tracing.md lists the variables)';
  return Object.keys(variables)
    .filter((name) => name.startsWith('OTEL_') && !known.has(name))
    .map((setting) => ({ setting, problem }));
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
      dnsAddr: { flag: 'DNS_ADDR', address: environment.fields.dnsAddr },
    },
    explicit,
    variables,
  );
  const { dnsAddr = environment.fields.dnsAddr, ...addresses } = loopback.fields;
  const flags = { ...discovery.fields, ...addresses };
  const resolved = resolveFallbacks(flags, environment.fields, explicit);

  return {
    discovery: resolved,
    common: withDrainDefault(common, variables),
    environment: fillNamespace({ ...environment.fields, dnsAddr }, resolved.namespace),
    explicit,
    unimplemented: [...discovery.unimplemented, ...common.unimplemented, ...environment.unimplemented],
    warnings: [
      ...[...discovery.warnings, ...common.warnings, ...environment.warnings],
      ...[...unknownVariables(variables), ...unusedTracingVariables(variables, explicit)],
    ],
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
