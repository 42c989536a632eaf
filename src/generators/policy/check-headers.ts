import { CHECK_HEADERS, JWT_METADATA_NAMESPACE } from '../../policy/wire/call-metadata.js';

/**
 * The facts that Envoy adds to a Check over HTTP/1.1, as format strings of access logs. gRPC has a message for them.
 * Envoy replaces characters that a header cannot have in server names and tokens, and sends no Check with a certificate
 * that has some.
 */
export const CHECK_HEADER_FORMATS: Readonly<Record<string, string>> = {
  [CHECK_HEADERS.id]: '%UNIQUE_ID%',
  [CHECK_HEADERS.time]: '%START_TIME(%s.%9f)%',
  [CHECK_HEADERS.scheme]: '%REQ(:SCHEME)%',
  [CHECK_HEADERS.address]: '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%',
  [CHECK_HEADERS.serverName]: '%REQUESTED_SERVER_NAME%',
  [CHECK_HEADERS.sourceUri]: '%DOWNSTREAM_PEER_URI_SAN%',
  [CHECK_HEADERS.sourceDns]: '%DOWNSTREAM_PEER_DNS_SAN%',
  [CHECK_HEADERS.sourceSubject]: '%DOWNSTREAM_PEER_SUBJECT%',
  [CHECK_HEADERS.destinationUri]: '%DOWNSTREAM_LOCAL_URI_SAN%',
  [CHECK_HEADERS.destinationDns]: '%DOWNSTREAM_LOCAL_DNS_SAN%',
  [CHECK_HEADERS.destinationSubject]: '%DOWNSTREAM_LOCAL_SUBJECT%',
  [CHECK_HEADERS.tokens]: `%DYNAMIC_METADATA(${JWT_METADATA_NAMESPACE})%`,
  [CHECK_HEADERS.contentLength]: '%REQ(CONTENT-LENGTH)%',
  [CHECK_HEADERS.upgrade]: '%REQ(UPGRADE)%',
};

/** On a chain of many services, the cluster of the route names the service. */
export const ROUTE_HEADER_FORMATS: Readonly<Record<string, string>> = {
  [CHECK_HEADERS.cluster]: '%UPSTREAM_CLUSTER_RAW%',
};
