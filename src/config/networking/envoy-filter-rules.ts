import { validateLabels } from '../read-metadata.js';
import { checkRegex } from '../regex/check-regex.js';
import { formatKib } from '../regex/regex-limits.js';
import { childPath, type Violation } from '../violation.js';
import type { ApplyTo, EnvoyFilterMatch, EnvoyFilterPatch, EnvoyFilterSpec, PatchOperation } from './envoy-filter.js';
import type { ValidatePatchValue } from './envoy-filter-values.js';

/** The most that the values of one EnvoyFilter may take as JSON. */
const MAX_FILTER_BYTES = 256 * 1024;
/** Memory of a compiled expression of a version. */
const MAX_EXPRESSION_BYTES = 128 * 1024;

/** The match that fits what is patched. */
const MATCH_OF: Readonly<Record<ApplyTo, 'listener' | 'routeConfiguration' | 'cluster'>> = {
  LISTENER: 'listener',
  FILTER_CHAIN: 'listener',
  NETWORK_FILTER: 'listener',
  HTTP_FILTER: 'listener',
  ROUTE_CONFIGURATION: 'routeConfiguration',
  VIRTUAL_HOST: 'routeConfiguration',
  HTTP_ROUTE: 'routeConfiguration',
  CLUSTER: 'cluster',
};

const LISTS_WITH_ORDER: readonly PatchOperation[] = ['INSERT_BEFORE', 'INSERT_AFTER', 'INSERT_FIRST'];

/** A route configuration belongs to the listener that names it, so none can be added or removed. */
const OPERATIONS: Readonly<Record<ApplyTo, readonly PatchOperation[]>> = {
  LISTENER: ['MERGE', 'ADD', 'REMOVE'],
  FILTER_CHAIN: ['MERGE', 'ADD', 'REMOVE'],
  NETWORK_FILTER: ['MERGE', 'ADD', 'REMOVE', ...LISTS_WITH_ORDER],
  HTTP_FILTER: ['MERGE', 'ADD', 'REMOVE', ...LISTS_WITH_ORDER],
  ROUTE_CONFIGURATION: ['MERGE'],
  VIRTUAL_HOST: ['MERGE', 'ADD', 'REMOVE'],
  HTTP_ROUTE: ['MERGE', 'ADD', 'REMOVE', ...LISTS_WITH_ORDER],
  CLUSTER: ['MERGE', 'ADD', 'REMOVE'],
};

/** The rules of an EnvoyFilter that its schema cannot express (docs/reference/validation-rules.md#envoyfilter). */
export function validateEnvoyFilter(spec: EnvoyFilterSpec, validateValue: ValidatePatchValue): readonly Violation[] {
  const { workloadSelector, configPatches } = spec;
  const violations: Violation[] = [...validateLabels(workloadSelector?.labels ?? {}, 'workloadSelector.labels')];
  const bytes = Buffer.byteLength(JSON.stringify(configPatches));
  if (bytes > MAX_FILTER_BYTES) {
    violations.push({
      path: 'configPatches',
      value: configPatches,
      message: `takes ${formatKib(bytes)}, more than the ${formatKib(MAX_FILTER_BYTES)} of one EnvoyFilter`,
      remedy: 'shorten the values, or load long scripts from a file of the proxy',
    });
    return violations;
  }
  for (const [index, patch] of configPatches.entries()) {
    const path = `configPatches[${index}]`;
    violations.push(...validateOperation(patch, path), ...validateMatch(patch, path), ...validateValue(patch, path));
  }
  return violations;
}

function validateOperation({ applyTo, patch: { operation, value } }: EnvoyFilterPatch, path: string): Violation[] {
  const violations: Violation[] = [];
  const allowed = OPERATIONS[applyTo];
  if (!allowed.includes(operation)) {
    violations.push({
      path: `${path}.patch.operation`,
      value: operation,
      message: `does not apply to ${applyTo}`,
      remedy: `use ${allowed.join(', ')}`,
    });
  }
  if (operation !== 'REMOVE' && value === undefined) {
    const remedy = 'write the message of Envoy that is merged or added';
    violations.push({ path: `${path}.patch.value`, message: 'is missing', remedy });
  }
  if (operation === 'REMOVE' && value !== undefined) {
    const remedy = 'remove it, and select the part in match';
    violations.push({ path: `${path}.patch.value`, value, message: 'has no effect with REMOVE', remedy });
  }
  return violations;
}

function validateMatch({ applyTo, match }: EnvoyFilterPatch, path: string): Violation[] {
  if (match === undefined) return [];
  const wanted = MATCH_OF[applyTo];
  const violations: Violation[] = [];
  for (const name of ['listener', 'routeConfiguration', 'cluster'] as const) {
    if (match[name] === undefined || name === wanted) continue;
    violations.push({
      path: `${path}.match.${name}`,
      value: match[name],
      message: `does not fit applyTo ${applyTo}`,
      remedy: `use ${wanted}`,
    });
  }
  return [...violations, ...validateProxy(match, path), ...validateDetails(applyTo, match, path)];
}

function validateProxy({ proxy }: EnvoyFilterMatch, path: string): readonly Violation[] {
  const expression = proxy?.proxyVersion;
  if (expression === undefined) return [];
  const check = checkRegex(expression, MAX_EXPRESSION_BYTES);
  if (check.type === 'regex') return [];
  const { message, remedy } = check;
  return [{ path: `${path}.match.proxy.proxyVersion`, value: expression, message, remedy }];
}

function validateDetails(
  applyTo: ApplyTo,
  { context, listener, routeConfiguration, cluster }: EnvoyFilterMatch,
  path: string,
): readonly Violation[] {
  const violations: Violation[] = [];
  const subFilter = listener?.filterChain?.filter?.subFilter;
  if (subFilter !== undefined && applyTo !== 'HTTP_FILTER') {
    violations.push({
      path: `${path}.match.listener.filterChain.filter.subFilter`,
      value: subFilter,
      message: `does not fit applyTo ${applyTo}`,
      remedy: 'use it with applyTo HTTP_FILTER, or remove it',
    });
  }
  const gateway = routeConfiguration?.gateway;
  if (gateway !== undefined && !/^[^/]+\/[^/]+$/.test(gateway)) {
    violations.push({
      path: `${path}.match.routeConfiguration.gateway`,
      value: gateway,
      message: 'is not the name of a Gateway with its namespace',
      remedy: 'write it as <namespace>/<name>',
    });
  }
  if (gateway !== undefined && (context === 'SIDECAR_INBOUND' || context === 'SIDECAR_OUTBOUND')) {
    violations.push({
      path: `${path}.match.routeConfiguration.gateway`,
      value: gateway,
      message: `does not fit context ${context}`,
      remedy: 'use context GATEWAY',
    });
  }
  if (cluster?.name !== undefined) {
    for (const other of ['portNumber', 'service', 'subset'] as const) {
      if (cluster[other] === undefined) continue;
      const remedy = 'keep the name, or the other fields';
      const at = childPath(`${path}.match.cluster`, other);
      violations.push({ path: at, value: cluster[other], message: 'has no effect beside name', remedy });
    }
  }
  return violations;
}
