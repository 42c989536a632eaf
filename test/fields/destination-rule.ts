import type { KindFields } from './kind-fields.js';

const COOKIE = 'the proxy sets the cookie of a hash with its path and lifetime';
const SOURCE = 'all requests of one caller go to the same endpoint';
const QUEUE = 'a request beyond the connections and the queue is answered with 503';
const CLOSED = 'a connection is closed after maxRequestsPerConnection, and when it is idle';
const SILENT = 'an endpoint that falls silent is given up by connectTimeout and tcpKeepalive';
const UPGRADE = 'h2UpgradePolicy decides whether requests travel as HTTP/2';
const EJECTED = 'an endpoint is ejected after so many';
const PANIC = 'requests go to ejected endpoints while fewer than minHealthPercent are healthy';
const FAILOVER = 'callers prefer near endpoints, and the region that failover names, when nearer ones fail';
const SPREAD = 'distribute spreads the requests of a locality, and enabled turns localities off';
const SUBSETS = 'each subset has a cluster with its own endpoints and policy';
const PORT = 'the settings of a port replace those of the rule';
const SIMPLE = 'SIMPLE connects over TLS with the server name, and verifies roots and names';
const MUTUAL = 'MUTUAL presents the client certificate';
const MESH = 'MESH_MUTUAL uses certificates of the mesh for all endpoints, DISABLE for none';
const LEVELS = 'the namespaces of client and service and the root namespace decide, in this order, and no others';
const ROUND_ROBIN = 'ROUND_ROBIN gives each endpoint its turn';

export const DESTINATION_RULE: KindFields = {
  kind: 'DestinationRule',
  file: 'e2e/destination-rule.test.ts',
  fields: {
    'DestinationRule.host': LEVELS,
    'DestinationRule.trafficPolicy': ROUND_ROBIN,
    'DestinationRule.subsets': SUBSETS,
    'DestinationRule.exportTo': LEVELS,
    'TrafficPolicy.loadBalancer': ROUND_ROBIN,
    'TrafficPolicy.connectionPool': QUEUE,
    'TrafficPolicy.outlierDetection': EJECTED,
    'TrafficPolicy.tls': SIMPLE,
    'TrafficPolicy.portLevelSettings': PORT,
    'PortTrafficPolicy.port': PORT,
    'PortTrafficPolicy.loadBalancer': PORT,
    'PortTrafficPolicy.connectionPool': PORT,
    'PortTrafficPolicy.outlierDetection': PORT,
    'PortTrafficPolicy.tls': PORT,
    'Subset.name': SUBSETS,
    'Subset.labels': SUBSETS,
    'Subset.trafficPolicy': SUBSETS,
    'LoadBalancerSettings.simple': ROUND_ROBIN,
    'LoadBalancerSettings.consistentHash': SOURCE,
    'LoadBalancerSettings.localityLbSetting': SPREAD,
    'SimpleLB.ROUND_ROBIN': ROUND_ROBIN,
    'SimpleLB.LEAST_CONN': 'and all endpoints get requests',
    'SimpleLB.RANDOM': 'and all endpoints get requests',
    'SimpleLB.PASSTHROUGH': 'PASSTHROUGH keeps the address that the application connected to',
    'ConsistentHashLB.httpHeaderName': 'a header',
    'ConsistentHashLB.httpCookie': COOKIE,
    'ConsistentHashLB.useSourceIp': SOURCE,
    'ConsistentHashLB.httpQueryParameterName': 'a query parameter',
    'ConsistentHashLB.minimumRingSize': 'requests with the same value of',
    'HTTPCookie.name': COOKIE,
    'HTTPCookie.path': COOKIE,
    'HTTPCookie.ttl': COOKIE,
    'ConnectionPoolSettings.tcp': QUEUE,
    'ConnectionPoolSettings.http': QUEUE,
    'TCPSettings.maxConnections': QUEUE,
    'TCPSettings.connectTimeout': SILENT,
    'TCPSettings.tcpKeepalive': SILENT,
    'TcpKeepalive.probes': SILENT,
    'TcpKeepalive.time': SILENT,
    'TcpKeepalive.interval': SILENT,
    'HTTPSettings.http1MaxPendingRequests': QUEUE,
    'HTTPSettings.http2MaxRequests': 'requests beyond http2MaxRequests at the same time are answered with 503',
    'HTTPSettings.maxRequestsPerConnection': CLOSED,
    'HTTPSettings.maxRetries': 'requests beyond maxRetries are not retried at the same time',
    'HTTPSettings.idleTimeout': CLOSED,
    'HTTPSettings.h2UpgradePolicy': UPGRADE,
    'H2UpgradePolicy.DEFAULT': UPGRADE,
    'H2UpgradePolicy.DO_NOT_UPGRADE': UPGRADE,
    'H2UpgradePolicy.UPGRADE': UPGRADE,
    'OutlierDetection.consecutiveErrors': EJECTED,
    'OutlierDetection.consecutiveGatewayErrors': EJECTED,
    'OutlierDetection.consecutive5xxErrors': EJECTED,
    'OutlierDetection.interval': EJECTED,
    'OutlierDetection.baseEjectionTime': EJECTED,
    'OutlierDetection.maxEjectionPercent': EJECTED,
    'OutlierDetection.minHealthPercent': PANIC,
    'ClientTLSSettings.mode': SIMPLE,
    'ClientTLSSettings.clientCertificate': MUTUAL,
    'ClientTLSSettings.privateKey': MUTUAL,
    'ClientTLSSettings.caCertificates': SIMPLE,
    'ClientTLSSettings.credentialName':
      'a credentialName leaves a sidecar without endpoints, in place of an unverified server',
    'ClientTLSSettings.subjectAltNames': SIMPLE,
    'ClientTLSSettings.sni': SIMPLE,
    'ClientTLSSettings.TLSmode.DISABLE': MESH,
    'ClientTLSSettings.TLSmode.SIMPLE': SIMPLE,
    'ClientTLSSettings.TLSmode.MUTUAL': MUTUAL,
    'ClientTLSSettings.TLSmode.MESH_MUTUAL': MESH,
    'LocalityLoadBalancerSetting.distribute': SPREAD,
    'LocalityLoadBalancerSetting.failover': FAILOVER,
    'LocalityLoadBalancerSetting.enabled': SPREAD,
    'Distribute.from': SPREAD,
    'Distribute.to': SPREAD,
    'Failover.from': FAILOVER,
    'Failover.to': FAILOVER,
  },
};
