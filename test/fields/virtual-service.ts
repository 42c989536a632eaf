import type { KindFields } from './kind-fields.js';

const CONNECTION_CALLER = 'connections are routed by labels and namespace of the caller';
const CONNECTION_ADDRESS = 'connections are routed by address and port';
const TLS_NAME = 'TLS connections are routed by their server name';
const TLS_PLACE = 'TLS connections are routed by address, port and caller';
const HEADERS = 'headers of requests and responses are set, added and removed';
const PREFLIGHT = 'a preflight of an allowed origin is answered by the proxy';
const DELEGATE = 'the routes of a delegate take the place of the route that names it';
const WEIGHTS = 'requests are split by the weights of destinations';
const RETRIED = 'a request is retried as often as its route says, on the status that it names';
const REDIRECT = 'a redirect changes the path, the host and the status';
const REWRITE = 'a rewrite changes the path and the host';
const DELAY = 'a delay holds a share of the requests';
const ABORT = 'an abort answers a share of the requests';
const MIRROR = 'a mirror gets a copy of a request, whose response is dropped';
const MIRROR_SHARE = 'a mirror gets half of the requests to';
const NAMES = {
  test: 'patches find the routes of a VirtualService by the names of route and match',
  file: 'e2e/envoy-filter.test.ts',
};
const VALIDATION = 'config/networking/virtual-service.test.ts';

export const VIRTUAL_SERVICE: KindFields = {
  kind: 'VirtualService',
  file: 'e2e/virtual-service.test.ts',
  fields: {
    'VirtualService.hosts': 'a host of no service has routes',
    'VirtualService.gateways': 'a gateway',
    'VirtualService.http': 'a removed object has no effect any more',
    'VirtualService.tls': TLS_NAME,
    'VirtualService.tcp': CONNECTION_ADDRESS,
    'VirtualService.exportTo': 'an object has no effect in namespaces that it is not exported to',
    'Destination.host': 'a destination that does not exist answers 503',
    'Destination.subset': 'a destination is a subset of a service',
    'Destination.port': 'a destination has the port that its route names',
    'HTTPRoute.name': NAMES,
    'HTTPRoute.match': 'an exact path',
    'HTTPRoute.route': WEIGHTS,
    'HTTPRoute.redirect': REDIRECT,
    'HTTPRoute.delegate': DELEGATE,
    'HTTPRoute.rewrite': REWRITE,
    'HTTPRoute.timeout': 'a request that takes longer than the timeout is answered with 504',
    'HTTPRoute.retries': 'no attempts are no retries',
    'HTTPRoute.fault': DELAY,
    'HTTPRoute.mirror': MIRROR,
    'HTTPRoute.mirrorPercent': MIRROR_SHARE,
    'HTTPRoute.mirrorPercentage': MIRROR_SHARE,
    'HTTPRoute.corsPolicy': PREFLIGHT,
    'HTTPRoute.headers': HEADERS,
    'Delegate.name': DELEGATE,
    'Delegate.namespace': DELEGATE,
    'Headers.request': HEADERS,
    'Headers.response': HEADERS,
    'HeaderOperations.set': HEADERS,
    'HeaderOperations.add': HEADERS,
    'HeaderOperations.remove': HEADERS,
    'TLSRoute.match': TLS_NAME,
    'TLSRoute.route': TLS_NAME,
    'TCPRoute.match': CONNECTION_ADDRESS,
    'TCPRoute.route': CONNECTION_ADDRESS,
    'HTTPMatchRequest.name': NAMES,
    'HTTPMatchRequest.uri': 'an exact path',
    'HTTPMatchRequest.scheme': 'another scheme',
    'HTTPMatchRequest.method': 'a method',
    'HTTPMatchRequest.authority': 'an authority',
    'HTTPMatchRequest.headers': 'any value of a header',
    'HTTPMatchRequest.port': 'another port',
    'HTTPMatchRequest.sourceLabels': 'other labels than those of the caller',
    'HTTPMatchRequest.gateways': 'all sidecars',
    'HTTPMatchRequest.queryParams': 'a query parameter',
    'HTTPMatchRequest.ignoreUriCase': 'a path in any case',
    'HTTPMatchRequest.withoutHeaders': 'no such header',
    'HTTPMatchRequest.sourceNamespace': 'another namespace than that of the caller',
    'HTTPRouteDestination.destination': WEIGHTS,
    'HTTPRouteDestination.weight': WEIGHTS,
    'HTTPRouteDestination.headers': 'a destination changes headers too',
    'RouteDestination.destination': CONNECTION_ADDRESS,
    'RouteDestination.weight': 'connections are split by the weights of destinations',
    'L4MatchAttributes.destinationSubnets': CONNECTION_ADDRESS,
    'L4MatchAttributes.port': CONNECTION_ADDRESS,
    'L4MatchAttributes.sourceSubnet': CONNECTION_ADDRESS,
    'L4MatchAttributes.sourceLabels': CONNECTION_CALLER,
    'L4MatchAttributes.gateways': CONNECTION_CALLER,
    'L4MatchAttributes.sourceNamespace': CONNECTION_CALLER,
    'TLSMatchAttributes.sniHosts': TLS_NAME,
    'TLSMatchAttributes.destinationSubnets': TLS_PLACE,
    'TLSMatchAttributes.port': TLS_PLACE,
    'TLSMatchAttributes.sourceLabels': TLS_PLACE,
    'TLSMatchAttributes.gateways': TLS_PLACE,
    'TLSMatchAttributes.sourceNamespace': TLS_PLACE,
    'HTTPRedirect.uri': REDIRECT,
    'HTTPRedirect.authority': REDIRECT,
    'HTTPRedirect.redirectCode': REDIRECT,
    'HTTPRewrite.uri': REWRITE,
    'HTTPRewrite.authority': REWRITE,
    'StringMatch.exact': 'an exact path',
    'StringMatch.prefix': 'no such header',
    'StringMatch.regex': 'a path by expression',
    'HTTPRetry.attempts': RETRIED,
    'HTTPRetry.perTryTimeout': 'each attempt has its own timeout',
    'HTTPRetry.retryOn': RETRIED,
    'HTTPRetry.retryRemoteLocalities': {
      test: 'with retryRemoteLocalities, a retry leaves the locality that failed',
      file: 'e2e/destination-rule.test.ts',
    },
    'CorsPolicy.allowOrigin': 'the deprecated list of origins is a list of whole texts',
    'CorsPolicy.allowOrigins': PREFLIGHT,
    'CorsPolicy.allowMethods': PREFLIGHT,
    'CorsPolicy.allowHeaders': PREFLIGHT,
    'CorsPolicy.exposeHeaders': PREFLIGHT,
    'CorsPolicy.maxAge': PREFLIGHT,
    'CorsPolicy.allowCredentials': PREFLIGHT,
    'HTTPFaultInjection.delay': DELAY,
    'HTTPFaultInjection.abort': ABORT,
    'Delay.percent': 'the deprecated percent of a delay is half of the requests',
    'Delay.fixedDelay': DELAY,
    'Delay.exponentialDelay': { test: 'an exponential delay', file: VALIDATION, refused: true },
    'Delay.percentage': 'a delay holds half of the requests',
    'Abort.httpStatus': ABORT,
    'Abort.grpcStatus': 'an abort answers with a gRPC status',
    'Abort.http2Error': { test: 'an HTTP/2 error as a fault', file: VALIDATION, refused: true },
    'Abort.percentage': 'an abort answers half of the requests',
    'PortSelector.number': 'a destination has the port that its route names',
    'Percent.value': MIRROR_SHARE,
  },
};
