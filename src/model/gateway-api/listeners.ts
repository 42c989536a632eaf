import type { ApiGatewaySpec, ListenerSpec } from '../../config/gateway-api/gateway.js';
import { GATEWAY_API_GROUP } from '../../config/gateway-api/gateway-api-names.js';
import type { MeshObject } from '../../config/object.js';
import type { IsGranted } from './reference-grants.js';
import { type CertificateUse, condition, type ListenerReport, type ReportedCondition } from './report.js';

/** A listener of a Gateway of this controller. */
export interface ApiListener {
  readonly index: number;
  readonly spec: ListenerSpec;
  /** In lower case; `*` for every host. */
  readonly hostname: string;
  readonly supportedKinds: ListenerReport['supportedKinds'];
  /** Present for HTTPS with a certificate that the Gateway may use. */
  readonly certificate?: CertificateUse;
  /** Whether routers serve it, apart from the Gateway's address. */
  readonly isServed: boolean;
  /** Without Programmed, which depends on the address. */
  readonly conditions: readonly ReportedCondition[];
}

const HTTP_ROUTE = { group: GATEWAY_API_GROUP, kind: 'HTTPRoute' } as const;

const NO_KINDS: ReturnType<typeof supportedKindsOf> = { supported: [] };

type Problem = Pick<ReportedCondition, 'reason' | 'message'>;

export function readListeners(
  { body, metadata }: MeshObject<string, ApiGatewaySpec>,
  isGranted: IsGranted,
): readonly ApiListener[] {
  const { listeners } = body;
  return listeners.map((spec, index) =>
    readListener(spec, index, conflictOf(spec, listeners), metadata.namespace, isGranted),
  );
}

function readListener(
  spec: ListenerSpec,
  index: number,
  conflict: Problem | undefined,
  namespace: string,
  isGranted: IsGranted,
): ApiListener {
  const rejection = unsupported(spec);
  const kinds = rejection?.reason === 'UnsupportedProtocol' ? NO_KINDS : supportedKindsOf(spec);
  const certificate = spec.protocol === 'HTTPS' ? certificateOf(spec, namespace, isGranted) : undefined;
  const unresolved = kinds.problem ?? (certificate !== undefined && 'reason' in certificate ? certificate : undefined);
  const hasCertificate = certificate === undefined || 'name' in certificate;
  const isServed = rejection === undefined && conflict === undefined && kinds.supported.length > 0 && hasCertificate;
  const refusal = rejection ?? conflict;
  return {
    index,
    spec,
    hostname: (spec.hostname ?? '') === '' ? '*' : (spec.hostname ?? '').toLowerCase(),
    supportedKinds: kinds.supported,
    ...(certificate !== undefined && 'name' in certificate ? { certificate } : {}),
    isServed,
    conditions: [
      refusal === undefined
        ? condition('Accepted', true, 'Accepted')
        : condition('Accepted', false, refusal.reason, refusal.message),
      conflict === undefined
        ? condition('Conflicted', false, 'NoConflicts')
        : condition('Conflicted', true, conflict.reason, conflict.message),
      unresolved === undefined
        ? condition('ResolvedRefs', true, 'ResolvedRefs')
        : condition('ResolvedRefs', false, unresolved.reason, unresolved.message),
    ],
  };
}

function unsupported({ protocol, tls }: ListenerSpec): Problem | undefined {
  if (protocol !== 'HTTP' && protocol !== 'HTTPS') {
    return { reason: 'UnsupportedProtocol', message: `protocol ${protocol} is not supported; use HTTP or HTTPS` };
  }
  if (protocol === 'HTTPS' && tls?.mode !== undefined && tls.mode !== 'Terminate') {
    const message = `tls.mode ${tls.mode} is not supported for HTTPS; use Terminate`;
    return { reason: 'UnsupportedValue', message };
  }
  return undefined;
}

/** No listener of a conflict is served: which one was meant is unknown. */
function conflictOf(spec: ListenerSpec, all: readonly ListenerSpec[]): Problem | undefined {
  const others = all.filter((each) => each !== spec && each.port === spec.port);
  const otherProtocol = others.find(({ protocol }) => protocol !== spec.protocol);
  if (otherProtocol !== undefined) {
    const message = `listener ${otherProtocol.name} has another protocol at port ${spec.port}; use another port`;
    return { reason: 'ProtocolConflict', message };
  }
  const hostOf = ({ hostname = '' }: ListenerSpec): string => hostname.toLowerCase();
  const sameHost = others.find((each) => hostOf(each) === hostOf(spec));
  if (sameHost === undefined) return undefined;
  const message = `listener ${sameHost.name} has the same hostname at port ${spec.port}; use another hostname or port`;
  return { reason: 'HostnameConflict', message };
}

function supportedKindsOf({ allowedRoutes: { kinds } }: ListenerSpec): {
  readonly supported: ListenerReport['supportedKinds'];
  readonly problem?: Problem;
} {
  if (kinds.length === 0) return { supported: [HTTP_ROUTE] };
  const isHttpRoute = ({ group, kind }: (typeof kinds)[number]): boolean =>
    group === HTTP_ROUTE.group && kind === HTTP_ROUTE.kind;
  const supported = kinds.some(isHttpRoute) ? [HTTP_ROUTE] : [];
  const other = kinds.find((kind) => !isHttpRoute(kind));
  if (other === undefined) return { supported };
  const message = `allowedRoutes.kinds has ${other.kind} of group ${other.group}, which is not supported; use HTTPRoute`;
  return { supported, problem: { reason: 'InvalidRouteKinds', message } };
}

function certificateOf({ tls }: ListenerSpec, namespace: string, isGranted: IsGranted): CertificateUse | Problem {
  const [first] = tls?.certificateRefs ?? [];
  const invalid = (message: string): Problem => ({ reason: 'InvalidCertificateRef', message });
  if (first === undefined) return invalid('tls.certificateRefs is empty; name a Secret of type kubernetes.io/tls');
  const { group, kind, name } = first;
  if (group !== '' || kind !== 'Secret') {
    return invalid(`tls.certificateRefs[0] names the kind ${kind} of group "${group}"; name a Secret`);
  }
  const place = (first.namespace ?? '') === '' ? namespace : (first.namespace ?? '');
  const reference = { fromKind: 'Gateway', fromNamespace: namespace, toKind: 'Secret', toName: name } as const;
  if (isGranted({ ...reference, toNamespace: place })) return { namespace: place, name };
  const message = `the Secret ${place}/${name} is of another namespace, which has no ReferenceGrant for Gateways of ${namespace}`;
  return { reason: 'RefNotPermitted', message };
}
