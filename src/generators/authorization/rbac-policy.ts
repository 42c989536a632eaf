import type {
  AuthorizationCondition,
  AuthorizationOperation,
  AuthorizationPolicySpec,
  AuthorizationRule,
  AuthorizationSource,
} from '../../config/security/authorization-policy.js';
import { type ConditionKey, parseConditionKey } from '../../config/security/condition-key.js';
import type { Permission } from '../../generated/envoy/config/rbac/v3/Permission.js';
import type { Policy } from '../../generated/envoy/config/rbac/v3/Policy.js';
import type { Principal } from '../../generated/envoy/config/rbac/v3/Principal.js';
import {
  ANY_PERMISSION,
  allPermissions,
  destinationIpPermission,
  hostPermission,
  methodPermission,
  pathPermission,
  permissionOf,
  portPermission,
  serverNamePermission,
} from './permissions.js';
import {
  ANY_PRINCIPAL,
  addressPrincipal,
  allPrincipals,
  claimPrincipal,
  filterPrincipal,
  headerPrincipal,
  identityPrincipal,
  namespacePrincipal,
  principalOf,
  requestPrincipal,
} from './principals.js';

export interface RuleContext {
  readonly action: AuthorizationPolicySpec['action'];
  /** Whether the rule decides on requests or on connections. */
  readonly as: 'http' | 'tcp';
  /** The own trust domain and its aliases. */
  readonly trustDomains: readonly string[];
}

/** What a part of a rule compares. `isForHttp`: only requests have it, connections do not. */
interface Part {
  readonly isForHttp: boolean;
  readonly permissions: readonly Permission[];
  readonly principals: readonly Principal[];
}

/**
 * A rule of an AuthorizationPolicy as a policy of Envoy. On connections that are not HTTP, fields of requests do not exist:
 * ALLOW and AUDIT do not match then, and DENY matches whatever they say, so that neither lets anything through.
 *
 * @returns undefined for a rule that cannot match
 */
export function buildRbacPolicy(rule: AuthorizationRule, context: RuleContext): Policy | undefined {
  const conditions = joined(rule.when?.map((condition) => partOfCondition(condition, context)) ?? [], context);
  const sources = rule.from?.flatMap(({ source }) => joined(partsOfSource(source, context), context) ?? []);
  const operations = rule.to?.flatMap(({ operation }) => joined(partsOfOperation(operation), context) ?? []);
  if (conditions === undefined || sources?.length === 0 || operations?.length === 0) return undefined;
  return {
    permissions: permissionsOf(operations ?? [NOTHING], conditions),
    principals: principalsOf(sources ?? [NOTHING], conditions),
  };
}

/** Has the conditions once: repeated in each operation, a small policy would make a filter of megabytes. */
function permissionsOf(operations: readonly Part[], conditions: Part): Permission[] {
  const [first = NOTHING, ...others] = operations;
  if (others.length === 0) return [allPermissionsOf([first, conditions])];
  const rules = operations.map((part) => allPermissionsOf([part]));
  if (conditions.permissions.length === 0) return rules;
  return [allPermissions([{ orRules: { rules } }, ...conditions.permissions])];
}

function principalsOf(sources: readonly Part[], conditions: Part): Principal[] {
  const [first = NOTHING, ...others] = sources;
  if (others.length === 0) return [allPrincipalsOf([first, conditions])];
  const ids = sources.map((part) => allPrincipalsOf([part]));
  if (conditions.principals.length === 0) return ids;
  return [allPrincipals([{ orIds: { ids } }, ...conditions.principals])];
}

const NOTHING: Part = { isForHttp: false, permissions: [], principals: [] };

/** All parts as one; undefined if one of them cannot match. */
function joined(parts: readonly Part[], { as, action }: RuleContext): Part | undefined {
  const judged = as === 'http' ? parts : parts.filter(({ isForHttp }) => !isForHttp);
  if (judged.length < parts.length && action !== 'DENY') return undefined;
  return {
    isForHttp: false,
    permissions: judged.flatMap(({ permissions }) => permissions),
    principals: judged.flatMap(({ principals }) => principals),
  };
}

function allPermissionsOf(parts: readonly Part[]): Permission {
  const rules = parts.flatMap(({ permissions }) => permissions);
  return rules.length === 0 ? ANY_PERMISSION : allPermissions(rules);
}

function allPrincipalsOf(parts: readonly Part[]): Principal {
  const ids = parts.flatMap(({ principals }) => principals);
  return ids.length === 0 ? ANY_PRINCIPAL : allPrincipals(ids);
}

type Values = readonly string[] | undefined;

function partsOfSource(source: AuthorizationSource, { trustDomains }: RuleContext): readonly Part[] {
  const identity = (value: string) => identityPrincipal(value, trustDomains);
  return [
    sourcePart(source.principals, source.notPrincipals, identity),
    sourcePart(source.namespaces, source.notNamespaces, namespacePrincipal),
    sourcePart(source.ipBlocks, source.notIpBlocks, addressPrincipal),
    sourcePart(source.requestPrincipals, source.notRequestPrincipals, requestPrincipal, true),
  ].flat();
}

function partsOfOperation(operation: AuthorizationOperation): readonly Part[] {
  return [
    operationPart(operation.ports, operation.notPorts, portPermission),
    operationPart(operation.hosts, operation.notHosts, hostPermission, true),
    operationPart(operation.methods, operation.notMethods, methodPermission, true),
    operationPart(operation.paths, operation.notPaths, pathPermission, true),
  ].flat();
}

function sourcePart(
  values: Values,
  notValues: Values,
  build: (value: string) => Principal,
  isForHttp = false,
): readonly Part[] {
  const principals = principalOf(values, notValues, build);
  return principals.length === 0 ? [] : [{ isForHttp, permissions: [], principals }];
}

function operationPart(
  values: Values,
  notValues: Values,
  build: (value: string) => Permission,
  isForHttp = false,
): readonly Part[] {
  const permissions = permissionOf(values, notValues, build);
  return permissions.length === 0 ? [] : [{ isForHttp, permissions, principals: [] }];
}

function partOfCondition({ key, values, notValues }: AuthorizationCondition, context: RuleContext): Part {
  const parsed = parseConditionKey(key);
  // Validation refuses unknown keys; a rule that has one all the same matches nothing.
  if (parsed === undefined) return { isForHttp: true, permissions: [{ notRule: ANY_PERMISSION }], principals: [] };
  const permission = permissionBuilder(parsed);
  const [part] =
    permission === undefined
      ? sourcePart(values, notValues, principalBuilder(parsed, context), isOfRequest(parsed))
      : operationPart(values, notValues, permission);
  return part ?? NOTHING;
}

function isOfRequest({ type }: ConditionKey): boolean {
  return type === 'header' || type === 'claim' || type.startsWith('request.');
}

function permissionBuilder({ type }: ConditionKey): ((value: string) => Permission) | undefined {
  switch (type) {
    case 'destination.ip':
      return destinationIpPermission;
    case 'destination.port':
      return portPermission;
    case 'connection.sni':
      return serverNamePermission;
    default:
      return undefined;
  }
}

function principalBuilder(key: ConditionKey, { trustDomains }: RuleContext): (value: string) => Principal {
  switch (key.type) {
    case 'header':
      return (value) => headerPrincipal(key.name, value);
    case 'claim':
      return (value) => claimPrincipal(key.path, value);
    case 'filter':
      return (value) => filterPrincipal(key.filter, key.key, value);
    case 'source.ip':
      return addressPrincipal;
    case 'source.namespace':
      return namespacePrincipal;
    case 'request.auth.principal':
      return requestPrincipal;
    case 'request.auth.audiences':
      return (value) => claimPrincipal(['aud'], value);
    case 'request.auth.presenter':
      return (value) => claimPrincipal(['azp'], value);
    default:
      return (value) => identityPrincipal(value, trustDomains);
  }
}
