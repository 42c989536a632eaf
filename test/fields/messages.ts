/**
 * The messages of each kind: names of fields, with the message of a field after a colon, in braces if it is a map. An
 * enum lists its values after `=`. Messages are shared between kinds; each stands with the kind that declares it.
 */
export const MESSAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  VirtualService: {
    VirtualService: 'hosts gateways http:HTTPRoute tls:TLSRoute tcp:TCPRoute exportTo',
    Destination: 'host subset port:PortSelector',
    HTTPRoute:
      'name match:HTTPMatchRequest route:HTTPRouteDestination redirect:HTTPRedirect delegate:Delegate rewrite:HTTPRewrite timeout retries:HTTPRetry fault:HTTPFaultInjection mirror:Destination mirrorPercent mirrorPercentage:Percent corsPolicy:CorsPolicy headers:Headers',
    Delegate: 'name namespace',
    Headers: 'request:HeaderOperations response:HeaderOperations',
    HeaderOperations: 'set add remove',
    TLSRoute: 'match:TLSMatchAttributes route:RouteDestination',
    TCPRoute: 'match:L4MatchAttributes route:RouteDestination',
    HTTPMatchRequest:
      'name uri:StringMatch scheme:StringMatch method:StringMatch authority:StringMatch headers:{StringMatch} port sourceLabels gateways queryParams:{StringMatch} ignoreUriCase withoutHeaders:{StringMatch} sourceNamespace',
    HTTPRouteDestination: 'destination:Destination weight headers:Headers',
    RouteDestination: 'destination:Destination weight',
    L4MatchAttributes: 'destinationSubnets port sourceSubnet sourceLabels gateways sourceNamespace',
    TLSMatchAttributes: 'sniHosts destinationSubnets port sourceLabels gateways sourceNamespace',
    HTTPRedirect: 'uri authority redirectCode',
    HTTPRewrite: 'uri authority',
    StringMatch: 'exact prefix regex',
    HTTPRetry: 'attempts perTryTimeout retryOn retryRemoteLocalities',
    CorsPolicy: 'allowOrigin allowOrigins:StringMatch allowMethods allowHeaders exposeHeaders maxAge allowCredentials',
    HTTPFaultInjection: 'delay:Delay abort:Abort',
    Delay: 'percent fixedDelay exponentialDelay percentage:Percent',
    Abort: 'httpStatus grpcStatus http2Error percentage:Percent',
    PortSelector: 'number',
    Percent: 'value',
  },
  DestinationRule: {
    DestinationRule: 'host trafficPolicy:TrafficPolicy subsets:Subset exportTo',
    TrafficPolicy:
      'loadBalancer:LoadBalancerSettings connectionPool:ConnectionPoolSettings outlierDetection:OutlierDetection tls:ClientTLSSettings portLevelSettings:PortTrafficPolicy',
    PortTrafficPolicy:
      'port:PortSelector loadBalancer:LoadBalancerSettings connectionPool:ConnectionPoolSettings outlierDetection:OutlierDetection tls:ClientTLSSettings',
    Subset: 'name labels trafficPolicy:TrafficPolicy',
    LoadBalancerSettings:
      'simple:SimpleLB consistentHash:ConsistentHashLB localityLbSetting:LocalityLoadBalancerSetting',
    SimpleLB: '= ROUND_ROBIN LEAST_CONN RANDOM PASSTHROUGH',
    ConsistentHashLB: 'httpHeaderName httpCookie:HTTPCookie useSourceIp httpQueryParameterName minimumRingSize',
    HTTPCookie: 'name path ttl',
    ConnectionPoolSettings: 'tcp:TCPSettings http:HTTPSettings',
    TCPSettings: 'maxConnections connectTimeout tcpKeepalive:TcpKeepalive',
    TcpKeepalive: 'probes time interval',
    HTTPSettings:
      'http1MaxPendingRequests http2MaxRequests maxRequestsPerConnection maxRetries idleTimeout h2UpgradePolicy:H2UpgradePolicy',
    H2UpgradePolicy: '= DEFAULT DO_NOT_UPGRADE UPGRADE',
    OutlierDetection:
      'consecutiveErrors consecutiveGatewayErrors consecutive5xxErrors interval baseEjectionTime maxEjectionPercent minHealthPercent',
    ClientTLSSettings:
      'mode:ClientTLSSettings.TLSmode clientCertificate privateKey caCertificates credentialName subjectAltNames sni',
    'ClientTLSSettings.TLSmode': '= DISABLE SIMPLE MUTUAL MESH_MUTUAL',
    LocalityLoadBalancerSetting: 'distribute:Distribute failover:Failover enabled',
    Distribute: 'from to',
    Failover: 'from to',
  },
  Gateway: {
    Gateway: 'servers:Server selector',
    Server: 'port:Port bind hosts tls:ServerTLSSettings defaultEndpoint name',
    Port: 'number protocol name targetPort',
    ServerTLSSettings:
      'httpsRedirect mode:ServerTLSSettings.TLSmode serverCertificate privateKey caCertificates credentialName subjectAltNames verifyCertificateSpki verifyCertificateHash minProtocolVersion:TLSProtocol maxProtocolVersion:TLSProtocol cipherSuites',
    'ServerTLSSettings.TLSmode': '= PASSTHROUGH SIMPLE MUTUAL AUTO_PASSTHROUGH MESH_MUTUAL',
    TLSProtocol: '= TLS_AUTO TLSV1_0 TLSV1_1 TLSV1_2 TLSV1_3',
  },
  Sidecar: {
    Sidecar:
      'workloadSelector:WorkloadSelector ingress:IngressListener egress:EgressListener outboundTrafficPolicy:OutboundTrafficPolicy',
    IngressListener: 'port:Port bind captureMode:CaptureMode defaultEndpoint',
    EgressListener: 'port:Port bind captureMode:CaptureMode hosts',
    WorkloadSelector: 'labels',
    OutboundTrafficPolicy: 'mode:OutboundTrafficPolicy.Mode egressProxy:Destination',
    'OutboundTrafficPolicy.Mode': '= REGISTRY_ONLY ALLOW_ANY',
    CaptureMode: '= DEFAULT IPTABLES NONE',
  },
  ServiceEntry: {
    ServiceEntry:
      'hosts addresses ports:Port location:Location resolution:Resolution endpoints:WorkloadEntry workloadSelector:WorkloadSelector exportTo subjectAltNames',
    Location: '= MESH_EXTERNAL MESH_INTERNAL',
    Resolution: '= NONE STATIC DNS',
  },
  WorkloadEntry: {
    WorkloadEntry: 'address ports labels network locality weight serviceAccount',
  },
  EnvoyFilter: {
    EnvoyFilter: 'workloadSelector:WorkloadSelector configPatches:EnvoyConfigObjectPatch',
    ApplyTo:
      '= INVALID LISTENER FILTER_CHAIN NETWORK_FILTER HTTP_FILTER ROUTE_CONFIGURATION VIRTUAL_HOST HTTP_ROUTE CLUSTER',
    PatchContext: '= ANY SIDECAR_INBOUND SIDECAR_OUTBOUND GATEWAY',
    ProxyMatch: 'proxyVersion metadata',
    ClusterMatch: 'portNumber service subset name',
    RouteConfigurationMatch: 'portNumber portName gateway vhost:VirtualHostMatch name',
    RouteMatch: 'name action:RouteMatch.Action',
    'RouteMatch.Action': '= ANY ROUTE REDIRECT DIRECT_RESPONSE',
    VirtualHostMatch: 'name route:RouteMatch',
    ListenerMatch: 'portNumber portName filterChain:FilterChainMatch name',
    FilterChainMatch: 'name sni transportProtocol applicationProtocols filter:FilterMatch',
    FilterMatch: 'name subFilter:SubFilterMatch',
    SubFilterMatch: 'name',
    Patch: 'operation:Patch.Operation value',
    'Patch.Operation': '= INVALID MERGE ADD REMOVE INSERT_BEFORE INSERT_AFTER INSERT_FIRST',
    EnvoyConfigObjectMatch:
      'context:PatchContext proxy:ProxyMatch listener:ListenerMatch routeConfiguration:RouteConfigurationMatch cluster:ClusterMatch',
    EnvoyConfigObjectPatch: 'applyTo:ApplyTo match:EnvoyConfigObjectMatch patch:Patch',
  },
  AuthorizationPolicy: {
    AuthorizationPolicy: 'selector:PolicySelector rules:Rule action:AuthorizationPolicy.Action',
    'AuthorizationPolicy.Action': '= ALLOW DENY AUDIT',
    Rule: 'from:From to:To when:Condition',
    From: 'source:Source',
    To: 'operation:Operation',
    Source:
      'principals notPrincipals requestPrincipals notRequestPrincipals namespaces notNamespaces ipBlocks notIpBlocks',
    Operation: 'hosts notHosts ports notPorts methods notMethods paths notPaths',
    Condition: 'key values notValues',
  },
  RequestAuthentication: {
    JWTRule:
      'issuer audiences jwksUri jwks fromHeaders:JWTHeader fromParams outputPayloadToHeader forwardOriginalToken',
    JWTHeader: 'name prefix',
    RequestAuthentication: 'selector:PolicySelector jwtRules:JWTRule',
  },
  PeerAuthentication: {
    PeerAuthentication: 'selector:PolicySelector mtls:MutualTLS portLevelMtls:{MutualTLS}',
    PolicySelector: 'matchLabels',
    MutualTLS: 'mode:MutualTLS.Mode',
    'MutualTLS.Mode': '= UNSET DISABLE PERMISSIVE STRICT',
  },
};
