import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { buildHttpRbac, type RbacRules } from '../../envoy/rbac.js';
import type { Policy } from '../../generated/envoy/config/rbac/v3/Policy.js';
import type { HttpFilter } from '../../generated/envoy/extensions/filters/network/http_connection_manager/v3/HttpFilter.js';
import type { WorkloadAuthorization } from '../../model/security/authorization-policies.js';
import { EVERYTHING_DENIED, rulesOf } from '../authorization/action-rules.js';
import { ANY_PERMISSION } from '../authorization/permissions.js';
import { ANY_PRINCIPAL } from '../authorization/principals.js';
import { trustDomainsOf } from '../security/trusted-names.js';
import type { GeneratorSettings } from '../settings.js';

export interface GrpcAuthorization {
  readonly filters: readonly HttpFilter[];
  /** Names of rules that gRPC cannot decide as they are written. */
  readonly narrowed: readonly string[];
}

/** DENY has precedence over ALLOW. gRPC has no filter that only records (AUDIT), and rejects one without rules. */
const ACTIONS = ['DENY', 'ALLOW'] as const;

/**
 * The AuthorizationPolicies of a workload as filters of its gRPC server (gRFC A41). A rule that gRPC would reject or
 * misread allows nothing, and denies everything: no call may pass that a sidecar would stop.
 */
export function buildGrpcAuthorization(
  encoder: MessageEncoder,
  mesh: MeshConfig,
  settings: Pick<GeneratorSettings, 'trustDomain'>,
  authorization: WorkloadAuthorization,
): GrpcAuthorization {
  if (authorization.isTooLarge) return { filters: [buildHttpRbac(encoder, EVERYTHING_DENIED)], narrowed: [] };
  const trustDomains = trustDomainsOf(mesh, settings);
  const narrowed: string[] = [];
  const filters = ACTIONS.flatMap((action): HttpFilter[] => {
    const rules = rulesOf(authorization, { action, as: 'http', trustDomains });
    if (rules === undefined) return [];
    const understood = narrow(rules, narrowed);
    // Filters of one list need different names.
    return [{ ...buildHttpRbac(encoder, understood), name: `envoy.filters.http.rbac.${rules.action}` }];
  });
  return { filters, narrowed };
}

const EVERYTHING: Policy = { permissions: [ANY_PERMISSION], principals: [ANY_PRINCIPAL] };

function narrow({ action, policies }: RbacRules, narrowed: string[]): RbacRules {
  const understood: Record<string, Policy> = {};
  for (const [name, policy] of Object.entries(policies)) {
    if (!isBeyondGrpc(policy)) understood[name] = policy;
    else {
      narrowed.push(name);
      if (action === 'deny') understood[name] = EVERYTHING;
    }
  }
  return { action, policies: understood };
}

/**
 * Whether a rule compares what gRPC servers do not have. grpc-go up to 1.79 leaves metadata and server names out of a
 * rule, so that its other conditions alone decide: `requestPrincipals: ["*"]` would allow every call.
 */
function isBeyondGrpc(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) => {
    if (key === 'metadata' || key === 'requestedServerName') return true;
    return key === 'header' ? isReservedHeader(item) : isBeyondGrpc(item);
  });
}

/**
 * gRPC makes some headers itself, and rejects filters that compare them. It decodes binary headers, or has none in
 * filters.
 */
function isReservedHeader(header: { readonly name?: unknown }): boolean {
  const name = String(header.name).toLowerCase();
  return name === ':scheme' || name.startsWith('grpc-') || name.endsWith('-bin');
}
