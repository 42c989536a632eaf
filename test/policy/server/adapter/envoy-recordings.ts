/**
 * Messages as an Envoy 1.40 sent them, in the JSON form of their types: recorded with ext_authz filters for HTTP and
 * TCP, and gRPC access logs, in front of an echo server.
 */

export const HTTP_CHECK = {
  attributes: {
    source: { address: { socketAddress: { address: '127.0.0.1', portValue: 44756 } } },
    destination: { address: { socketAddress: { address: '127.0.0.1', portValue: 28080 } } },
    request: {
      time: { seconds: '1795271864', nanos: 398569000 },
      http: {
        id: '9334399171164779405',
        method: 'GET',
        headers: {
          'x-forwarded-proto': 'http',
          ':method': 'GET',
          ':path': '/ok?a=b',
          'user-agent': 'curl/7.88.1',
          ':scheme': 'http',
          'x-a': '1,2',
          ':authority': '127.0.0.1:28080',
          'x-mesh-attributes': 'QUJD',
          accept: '*/*',
          'x-request-id': '6dd7ce3d-75dc-47ce-85eb-1339aa3e45e4',
          ['__proto__']: 'evil',
        },
        path: '/ok?a=b',
        host: '127.0.0.1:28080',
        scheme: 'http',
        protocol: 'HTTP/1.1',
      },
    },
    contextExtensions: { service: 'web' },
    metadataContext: {},
    routeMetadataContext: {},
  },
};

export const TCP_CHECK = {
  attributes: {
    source: { address: { socketAddress: { address: '127.0.0.1', portValue: 42974 } } },
    destination: { address: { socketAddress: { address: '127.0.0.1', portValue: 28081 } } },
    metadataContext: {},
    tlsSession: {},
  },
};

const HTTP_COMMON = {
  downstreamRemoteAddress: { socketAddress: { address: '127.0.0.1', portValue: 44756 } },
  downstreamLocalAddress: { socketAddress: { address: '127.0.0.1', portValue: 28080 } },
  startTime: { seconds: '1795271864', nanos: 398569000 },
  timeToLastRxByte: { nanos: 98827 },
  timeToFirstDownstreamTxByte: { nanos: 43747988 },
  timeToLastDownstreamTxByte: { nanos: 43765034 },
  downstreamDirectRemoteAddress: { socketAddress: { address: '127.0.0.1', portValue: 44756 } },
  duration: { nanos: 43783561 },
  streamId: '6dd7ce3d-75dc-47ce-85eb-1339aa3e45e4',
  downstreamWireBytesSent: '118',
  downstreamWireBytesReceived: '143',
  accessLogType: 'DownstreamEnd',
};

export const HTTP_LOG_ENTRY = {
  commonProperties: HTTP_COMMON,
  protocolVersion: 'HTTP11',
  request: {
    requestMethod: 'GET',
    scheme: 'http',
    authority: '127.0.0.1:28080',
    path: '/ok?a=b',
    userAgent: 'curl/7.88.1',
    requestId: '6dd7ce3d-75dc-47ce-85eb-1339aa3e45e4',
    requestHeadersBytes: '178',
    downstreamHeaderBytesReceived: '112',
  },
  response: {
    responseCode: { value: 200 },
    responseHeadersBytes: '91',
    responseBodyBytes: '2',
    responseCodeDetails: 'direct_response',
    downstreamHeaderBytesSent: '97',
  },
};

export const DENIED_HTTP_LOG_ENTRY = {
  commonProperties: { ...HTTP_COMMON, responseFlags: { unauthorizedDetails: { reason: 'EXTERNAL_SERVICE' } } },
  protocolVersion: 'HTTP11',
  request: { ...HTTP_LOG_ENTRY.request, path: '/deny/429' },
  response: {
    responseCode: { value: 429 },
    responseHeadersBytes: '118',
    responseBodyBytes: '2',
    responseCodeDetails: 'ext_authz_denied',
    downstreamHeaderBytesSent: '128',
  },
};

const TCP_COMMON = {
  downstreamRemoteAddress: { socketAddress: { address: '127.0.0.1', portValue: 42974 } },
  downstreamLocalAddress: { socketAddress: { address: '127.0.0.1', portValue: 28081 } },
  startTime: { seconds: '1795271864', nanos: 587166000 },
  upstreamRemoteAddress: { socketAddress: { address: '127.0.0.1', portValue: 29092 } },
  upstreamLocalAddress: { socketAddress: { address: '127.0.0.1', portValue: 40942 } },
  upstreamCluster: 'inbound|29092|tcp|echo.default.svc.cluster.local',
  downstreamDirectRemoteAddress: { socketAddress: { address: '127.0.0.1', portValue: 42974 } },
  upstreamRequestAttemptCount: 1,
  streamId: 'f42f5233-5749-4924-a540-12fd4dc01cf4',
};

export const TCP_CONNECTED_ENTRY = {
  commonProperties: { ...TCP_COMMON, intermediateLogEntry: true, accessLogType: 'TcpUpstreamConnected' },
  connectionProperties: {},
};

export const TCP_PERIODIC_ENTRY = {
  commonProperties: {
    ...TCP_COMMON,
    metadata: {
      filterMetadata: { 'envoy.filters.network.ext_authz': { fields: { ext_authz_duration: { numberValue: 3 } } } },
    },
    intermediateLogEntry: true,
    accessLogType: 'TcpPeriodic',
  },
  connectionProperties: { receivedBytes: '5', sentBytes: '5' },
};

export const TCP_END_ENTRY = {
  commonProperties: {
    ...TCP_COMMON,
    duration: { seconds: '2', nanos: 506683835 },
    accessLogType: 'TcpConnectionEnd',
  },
  connectionProperties: { receivedBytes: '7', sentBytes: '12' },
};

export const TCP_DENIED_END_ENTRY = {
  commonProperties: {
    ...TCP_COMMON,
    responseFlags: { unauthorizedDetails: { reason: 'EXTERNAL_SERVICE' } },
    duration: { nanos: 305144557 },
    accessLogType: 'TcpConnectionEnd',
  },
  connectionProperties: { receivedBytes: '5' },
};
