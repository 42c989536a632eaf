import type { MeshObject, ObjectKey } from '../../../config/object.js';
import type { HandlerSpec } from '../../../config/policy-rules/handler.js';
import { memoize } from '../../memo.js';
import type { RuleSource } from './rule-source.js';

export const AUTHORIZATION_POLICY = 'AuthorizationPolicy';

/** The AuthorizationPolicies that a handler decides by. Plain data. */
export interface HandlerAuthorization {
  readonly policies: readonly MeshObject[];
  readonly rootNamespace: string;
  /** The only namespace about whose services the handler decides; undefined: all. */
  readonly namespace: string | undefined;
  /** The own trust domain and its aliases. */
  readonly trustDomains: readonly string[];
}

/**
 * The AuthorizationPolicies of a handler with the adapter rbac: those of its namespace and of the root namespace. A handler
 * of the root namespace has all.
 */
export function authorizationOf(
  { metadata: { namespace }, body }: MeshObject,
  { objects, bindingGrants: { rootNamespace }, mesh }: RuleSource,
): HandlerAuthorization | undefined {
  if (!decidesByPolicies(body)) return undefined;
  const isOfAll = namespace === rootNamespace;
  const policies = [...(objects.get(AUTHORIZATION_POLICY)?.values() ?? [])].filter(
    ({ metadata }) => isOfAll || metadata.namespace === namespace || metadata.namespace === rootNamespace,
  );
  return { policies, rootNamespace, namespace: isOfAll ? undefined : namespace, trustDomains: trustDomainsIn(mesh) };
}

export function trustDomainsIn(mesh: RuleSource['mesh']): readonly string[] {
  return mesh === undefined ? [] : [mesh.trustDomain, ...mesh.trustDomainAliases];
}

/** Whether a handler decides by AuthorizationPolicies, so that policy servers need them. */
export const usesAuthorizationPolicies: (handlers: ReadonlyMap<ObjectKey, MeshObject>) => boolean = memoize(
  (handlers: ReadonlyMap<ObjectKey, MeshObject>) => [...handlers.values()].some(({ body }) => decidesByPolicies(body)),
);

function decidesByPolicies(body: unknown): boolean {
  return (body as HandlerSpec).compiledAdapter === 'rbac';
}
