import { parseDuration } from '../../../base/parse-duration.js';
import type { MeshConfig } from '../../../config/mesh/mesh-config.js';
import type { ClientTlsSettings } from '../../../config/networking/client-tls-settings.js';
import type { PortPolicySpec, TrafficPolicySpec } from '../../../config/networking/destination-rule.js';
import type {
  ConnectionPoolSpec,
  OutlierDetectionSpec,
} from '../../../config/networking/destination-rule-connections.js';
import {
  type ConsistentHashSpec,
  DEFAULT_RING_SIZE,
  type LoadBalancerSpec,
} from '../../../config/networking/destination-rule-load-balancer.js';
import type { Port, Service } from '../../service.js';
import type { ClientTls, OwnTls } from '../client-tls.js';
import type {
  ClusterPolicy,
  ConnectionPool,
  HashKey,
  LoadBalancer,
  OutlierDetection,
  TcpKeepalive,
} from '../cluster-policy.js';
import { localitiesOf } from './localities.js';

/** The policy of one port, as a rule states it. */
export type PolicyParts = Omit<PortPolicySpec, 'port'>;

/** The policy of a rule for one port. A port with settings of its own inherits nothing from the others. */
export function partsOfPort(policy: TrafficPolicySpec | undefined, port: number): PolicyParts {
  return policy?.portLevelSettings?.find((each) => each.port.number === port) ?? policy ?? {};
}

/** The policy of a subset for one port: each part that it does not set is that of the rule. */
export function partsOfSubset(ofRule: PolicyParts, policy: TrafficPolicySpec | undefined, port: number): PolicyParts {
  if (policy === undefined) return ofRule;
  const ofPort = policy.portLevelSettings?.find((each) => each.port.number === port);
  if (ofPort !== undefined) return ofPort;
  // A part that is not set is no field of the object at all.
  return { ...ofRule, ...policy };
}

/** The inputs of a policy beside the rule. */
export interface PolicyInput {
  readonly mesh: MeshConfig;
  readonly service: Service;
  readonly port: Port;
  /** The policy of the port without a rule. */
  readonly defaults: ClusterPolicy;
}

export function translatePolicy(parts: PolicyParts, { mesh, service, port, defaults }: PolicyInput): ClusterPolicy {
  const { loadBalancer, connectionPool, outlierDetection, tls } = parts;
  const localities = localitiesOf(loadBalancer?.localityLbSetting ?? mesh.localityLb, outlierDetection !== undefined);
  return {
    loadBalancer: loadBalancer === undefined ? defaults.loadBalancer : translateLoadBalancer(loadBalancer, defaults),
    connections:
      connectionPool === undefined
        ? defaults.connections
        : translateConnections(connectionPool, defaults.connections, port),
    ...(outlierDetection === undefined ? {} : { outliers: translateOutliers(outlierDetection) }),
    tls: tls === undefined ? defaults.tls : translateTls(tls, service),
    ...(localities === undefined ? {} : { localities }),
  };
}

const SIMPLE = {
  ROUND_ROBIN: { type: 'roundRobin' },
  LEAST_CONN: { type: 'leastRequest' },
  RANDOM: { type: 'random' },
  PASSTHROUGH: { type: 'originalDestination' },
} as const satisfies Record<NonNullable<LoadBalancerSpec['simple']>, LoadBalancer>;

function translateLoadBalancer(
  { simple, consistentHash }: LoadBalancerSpec,
  { loadBalancer }: ClusterPolicy,
): LoadBalancer {
  if (simple !== undefined) return SIMPLE[simple];
  const key = consistentHash && hashKeyOf(consistentHash);
  if (consistentHash === undefined || key === undefined) return loadBalancer;
  return { type: 'consistentHash', key, minimumRingSize: consistentHash.minimumRingSize || DEFAULT_RING_SIZE };
}

function hashKeyOf(hash: ConsistentHashSpec): HashKey | undefined {
  const { httpHeaderName, httpCookie, useSourceIp, httpQueryParameterName } = hash;
  if (httpHeaderName !== undefined) return { type: 'header', name: httpHeaderName };
  if (httpQueryParameterName !== undefined) return { type: 'queryParameter', name: httpQueryParameterName };
  if (useSourceIp === true) return { type: 'sourceAddress' };
  if (httpCookie === undefined) return undefined;
  const { name, path, ttl } = httpCookie;
  return { type: 'cookie', name, ...(path === undefined ? {} : { path }), lifetimeMs: parseDuration(ttl) };
}

function translateConnections(
  { tcp = {}, http = {} }: ConnectionPoolSpec,
  defaults: ConnectionPool,
  { protocol }: Port,
): ConnectionPool {
  const { maxConnections, connectTimeout, tcpKeepalive } = tcp;
  const { http1MaxPendingRequests, http2MaxRequests, maxRequestsPerConnection, maxRetries, idleTimeout } = http;
  const policy = http.h2UpgradePolicy ?? 'DEFAULT';
  return {
    connectTimeoutMs: connectTimeout === undefined ? defaults.connectTimeoutMs : parseDuration(connectTimeout),
    ...unlessZero('maxConnections', maxConnections),
    ...(tcpKeepalive === undefined ? {} : { keepalive: translateKeepalive(tcpKeepalive) }),
    ...unlessZero('maxPendingRequests', http1MaxPendingRequests),
    ...unlessZero('maxRequests', http2MaxRequests),
    ...unlessZero('maxRequestsPerConnection', maxRequestsPerConnection),
    ...unlessZero('maxRetries', maxRetries),
    ...(idleTimeout === undefined ? {} : { idleTimeoutMs: parseDuration(idleTimeout) }),
    upgradesToHttp2: policy === 'DEFAULT' ? defaults.upgradesToHttp2 : policy === 'UPGRADE' && protocol === 'http',
  };
}

type KeepaliveSpec = NonNullable<NonNullable<ConnectionPoolSpec['tcp']>['tcpKeepalive']>;

function translateKeepalive({ probes, time, interval }: KeepaliveSpec): TcpKeepalive {
  return {
    ...unlessZero('probes', probes),
    ...(time === undefined ? {} : { idleMs: parseDuration(time) }),
    ...(interval === undefined ? {} : { intervalMs: parseDuration(interval) }),
  };
}

/** The deprecated `consecutiveErrors` counted the same errors as `consecutiveGatewayErrors`. */
function translateOutliers({
  consecutiveErrors = 0,
  consecutiveGatewayErrors = consecutiveErrors,
  consecutive5xxErrors,
  interval,
  baseEjectionTime,
  maxEjectionPercent,
  minHealthPercent,
}: OutlierDetectionSpec): OutlierDetection {
  return {
    ...(consecutive5xxErrors === undefined ? {} : { consecutive5xxErrors }),
    ...unlessZero('consecutiveGatewayErrors', consecutiveGatewayErrors),
    ...(interval === undefined ? {} : { intervalMs: parseDuration(interval) }),
    ...(baseEjectionTime === undefined ? {} : { baseEjectionMs: parseDuration(baseEjectionTime) }),
    ...unlessZero('maxEjectionPercent', maxEjectionPercent),
    ...unlessZero('minHealthyPercent', minHealthPercent),
  };
}

/** Zero is the proto form of a field that is not set. */
function unlessZero<const Name extends string>(name: Name, value = 0): { readonly [name in Name]?: number } {
  return (value === 0 ? {} : { [name]: value }) as { readonly [name in Name]?: number };
}

function translateTls(tls: ClientTlsSettings, service: Service): ClientTls {
  const { mode, sni, subjectAltNames = [] } = tls;
  const names = subjectAltNames.length > 0 ? subjectAltNames : service.subjectAltNames;
  switch (mode) {
    case 'DISABLE':
      return { mode: 'plaintext' };
    case 'MESH_MUTUAL':
      return { mode: 'mesh', subjectAltNames: names, ...(sni === undefined ? {} : { serverName: sni }) };
    case 'SIMPLE':
    case 'MUTUAL':
      return {
        mode: 'own',
        ...(mode === 'MUTUAL' ? clientCertificateOf(tls) : {}),
        ...verificationOf(tls, names),
        ...(sni === undefined ? {} : { serverName: sni }),
      };
  }
}

function clientCertificateOf({
  credentialName,
  clientCertificate = '',
  privateKey = '',
}: ClientTlsSettings): Pick<OwnTls, 'certificate'> {
  if (credentialName !== undefined) return { certificate: { type: 'credential', name: credentialName } };
  return { certificate: { type: 'files', certificatePath: clientCertificate, privateKeyPath: privateKey } };
}

/** Envoy takes names to compare only with root certificates. */
function verificationOf(
  { credentialName, caCertificates }: ClientTlsSettings,
  subjectAltNames: readonly string[],
): Pick<OwnTls, 'verification'> {
  if (credentialName !== undefined) {
    return { verification: { roots: { type: 'credential', name: credentialName }, subjectAltNames } };
  }
  if (caCertificates === undefined) return {};
  return { verification: { roots: { type: 'file', path: caCertificates }, subjectAltNames } };
}
