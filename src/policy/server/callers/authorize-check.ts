import { parseSpiffeId } from '../../../model/spiffe-id.js';
import type { AttributeLayer } from '../../client/attribute-bag.js';
import type { ConnectionFacts } from '../../client/connection-attributes.js';
import type { CallConfig } from '../call-configs.js';
import { type CallClaims, namespacesIn } from './call-claims.js';
import { type Caller, CallerRefusedError, callerText } from './caller.js';
import type { Ownership, ServiceOwners, WorkloadCaller } from './service-owners.js';

/** The parts of a Check that concern the rights of its caller. */
export interface CheckedCall {
  readonly caller: Caller;
  readonly config: Pick<CallConfig, 'claims' | 'connectionQuotas' | 'ignoreForwarded'>;
  /** Identities of both sides, where the proxy has verified certificates. */
  readonly connection: Pick<ConnectionFacts, 'sourcePrincipal' | 'destinationPrincipal'>;
  /** Host of the service; undefined for a call without a service. */
  readonly host: string | undefined;
  /** Reads the header x-mesh-attributes of the request; empty for a connection. */
  readonly forwarded: () => AttributeLayer;
}

/** Whether a Check may charge quotas, and whether its receipt spares the charges of the next proxy. */
export type CheckRight =
  | 'charged'
  /**
   * Allowed without a charge, because the proxy of the service checks the same request, or because the known policies
   * belong to another namespace.
   */
  | 'uncharged'
  /** By a router with any identity or without one: the next proxy does not charge the same counters again. */
  | 'chargedByRouter'
  /** By a router that may charge the service: the next proxy does not charge the same quotas again. */
  | 'chargedByGateway';

const SOURCE_NAMES = ['source.uid', 'source.namespace'] as const;

/**
 * Compares a Check with the identity of its caller, before any charge:
 *
 * - inbound: the caller must be a workload of the service. Its proxy has verified the source of the traffic.
 * - outbound: all names of the source must name the caller. Quotas are charged where the mesh checks on that side.
 * - outbound of a gateway: the source of its requests is outside of the mesh, so that the certificate of the source is
 *   not the caller's. Quotas are charged.
 *
 * @param isTrusted whether the routers of a namespace may charge the quotas of the service
 * @throws CallerRefusedError
 */
export function authorizeCheck(
  owners: ServiceOwners,
  call: CheckedCall,
  isTrusted: (namespace: string, host: string | undefined) => boolean,
): CheckRight {
  const { caller, config, host } = call;
  const { side } = config.claims;
  // A receipt has no use at a service outside of the mesh, which must not see it.
  const isInMesh = host !== undefined && !owners.isExternal(host);
  const isRouter = side === 'outbound' && config.ignoreForwarded;
  const charged = isRouter && isInMesh ? 'chargedByRouter' : 'charged';
  if (caller.type === 'anonymous') return charged;
  const { claims } = config;
  if (config.connectionQuotas !== undefined) {
    throw refused(caller, 'claims', 'has no say about what a connection is charged (connectionQuotaSpec)');
  }
  if (claims.foreignAttribute !== undefined) {
    throw refused(caller, 'claims', `has no say about ${claims.foreignAttribute} of ${claims.side} traffic`);
  }
  requireNamespaces(caller, claims.namespaces);
  if (claims.side === 'inbound') {
    requirePrincipal(caller, 'destination', call.connection.destinationPrincipal);
    return requireServed(owners, caller, host) === 'shadowed' ? 'uncharged' : 'charged';
  }
  if (isRouter && isTrusted(caller.identity.namespace, host)) return isInMesh ? 'chargedByGateway' : 'charged';
  requirePrincipal(caller, 'source', call.connection.sourcePrincipal);
  requireNamespaces(caller, namespacesIn(call.forwarded(), SOURCE_NAMES));
  return owners.hasOutboundChecks || !isInMesh ? charged : 'uncharged';
}

/** @throws CallerRefusedError when the caller is not a workload of the service */
export function requireServed(owners: ServiceOwners, caller: WorkloadCaller, host: string | undefined): Ownership {
  const ownership = host === undefined ? 'unknown' : owners.ownership(host, caller);
  if (ownership !== 'foreign') return ownership;
  throw refused(caller, 'service', `is no workload of the service ${shortened(host ?? '')}`);
}

/** @throws CallerRefusedError for a namespace that is not the caller's */
export function requireNamespaces(caller: WorkloadCaller, claimed: CallClaims['namespaces']): void {
  const wrong = claimed.find(({ namespace }) => namespace !== caller.identity.namespace);
  if (wrong === undefined) return;
  throw refused(caller, 'claims', `is not in the namespace ${shortened(wrong.namespace)}, as ${wrong.attribute} says`);
}

function requirePrincipal(caller: WorkloadCaller, side: 'source' | 'destination', principal: string | undefined): void {
  if (principal === undefined || principal === '') return;
  const claimed = parseSpiffeId(principal);
  const { namespace, serviceAccount } = caller.identity;
  if (claimed?.namespace === namespace && claimed.serviceAccount === serviceAccount) return;
  throw refused(caller, 'claims', `is not ${shortened(principal)}, as the principal of the ${side} says`);
}

function refused({ identity }: WorkloadCaller, reason: 'service' | 'claims', why: string): CallerRefusedError {
  return new CallerRefusedError(reason, `the caller ${callerText(identity)} ${why}`);
}

const MAX_SHOWN = 200;

function shortened(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}
