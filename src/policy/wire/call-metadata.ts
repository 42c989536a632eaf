/**
 * The data that a stock Envoy sends to the policy server beside the request
 * (docs/architecture.md#how-a-request-is-charged). Discovery writes it into the filters of proxies. The policy server
 * reads it from calls and log entries.
 */

/**
 * gRPC metadata of every Check: the client's own configuration, as the base64 text of a serialized HttpClientConfig
 * (HTTP) or TcpClientConfig (TCP) without its service configs.
 */
export const CLIENT_CONFIG_METADATA = 'x-mesh-client-config';

/** gRPC metadata of a Check on a chain that serves one service alone: the service's host. */
export const SERVICE_METADATA = 'x-mesh-service';

/**
 * gRPC metadata of a Check of a TCP connection: Envoy's `%STREAM_ID%`, the id of the connection in the access log. With
 * it a repeated Check is charged once, because the message of such a Check contains no id.
 */
export const CONNECTION_ID_METADATA = 'x-mesh-connection-id';

/** gRPC metadata of a Check of a TCP connection: when it was opened, Envoy's `%START_TIME(%s.%9f)%`. */
export const CONNECTION_TIME_METADATA = 'x-mesh-connection-time';

/** Context extension of a Check on a chain of many services: the host of the service of the route. */
export const SERVICE_EXTENSION = 'destination.service.host';

/**
 * Header of a request between proxies, and gRPC metadata of a call to the policy server: forwarded attributes, as the
 * base64 text of a serialized Attributes message (docs/reference/policy-client.md#forwarded-attributes). A list with
 * commas adds up.
 */
export const FORWARDED_ATTRIBUTES_HEADER = 'x-mesh-attributes';

/**
 * Header of a request from a router to the proxy of a service: the receipt of what the Check of the router has charged.
 * The proxy of the service sends it in its own Check, which does not charge the same again.
 */
export const RECEIPT_HEADER = 'x-mesh-charge-receipt';

/**
 * The names of all headers that Envoy and the policy server add for each other to a Check over HTTP/1.1 and to its answer
 * begin so. Envoy removes those of a caller from the Check, and passes none on.
 */
export const CHECK_HEADER_PREFIX = 'x-mesh-check-';

/** Headers of a Check over HTTP/1.1, which has the headers of the request beside them. */
export const CHECK_HEADERS = {
  /** As `CLIENT_CONFIG_METADATA`. */
  config: `${CHECK_HEADER_PREFIX}config`,
  /** As `SERVICE_METADATA`. */
  service: `${CHECK_HEADER_PREFIX}service`,
  /** Name of the cluster to which the route leads; only on a chain of many services. It names the service. */
  cluster: `${CHECK_HEADER_PREFIX}cluster`,
  /** A random text for each Check, the same for all its attempts. */
  id: `${CHECK_HEADER_PREFIX}id`,
  /** When the request came: seconds since 1970-01-01T00:00:00Z with nine decimals. */
  time: `${CHECK_HEADER_PREFIX}time`,
  scheme: `${CHECK_HEADER_PREFIX}scheme`,
  /** IP address of the caller. */
  address: `${CHECK_HEADER_PREFIX}address`,
  /** Server name (SNI) that the caller asked for. */
  serverName: `${CHECK_HEADER_PREFIX}server-name`,
  /** Names in the verified certificate of the caller: URIs, DNS names and subject. */
  sourceUri: `${CHECK_HEADER_PREFIX}source-uri`,
  sourceDns: `${CHECK_HEADER_PREFIX}source-dns`,
  sourceSubject: `${CHECK_HEADER_PREFIX}source-subject`,
  /** The same of the certificate that the caller got. */
  destinationUri: `${CHECK_HEADER_PREFIX}destination-uri`,
  destinationDns: `${CHECK_HEADER_PREFIX}destination-dns`,
  destinationSubject: `${CHECK_HEADER_PREFIX}destination-subject`,
  /** JSON of the dynamic metadata `JWT_METADATA_NAMESPACE`. */
  tokens: `${CHECK_HEADER_PREFIX}tokens`,
  /** `content-length` of the request: a Check has no body. */
  contentLength: `${CHECK_HEADER_PREFIX}content-length`,
  /** `upgrade` of the request: a Check upgrades no connection. */
  upgrade: `${CHECK_HEADER_PREFIX}upgrade`,
} as const;

/**
 * Headers of the answer to a Check over HTTP/1.1. Envoy keeps them as dynamic metadata under these names. Texts of
 * attributes are as in the header x-mesh-attributes, missing for none.
 */
export const ANSWER_HEADERS = {
  /** The number of the status and words, separated by spaces; in every answer. */
  outcome: `${CHECK_HEADER_PREFIX}outcome`,
  /** The text of the status, in percent-encoding; missing for none. */
  message: `${CHECK_HEADER_PREFIX}message`,
  /** What would have refused the request without `dryRun`, in percent-encoding; missing for nothing. */
  dryRun: `${CHECK_HEADER_PREFIX}dry-run`,
  /** Host of the service that was checked. */
  service: `${CHECK_HEADER_PREFIX}service`,
  staticAttributes: `${CHECK_HEADER_PREFIX}static`,
  forwardedAttributes: `${CHECK_HEADER_PREFIX}forwarded`,
  requestAttributes: `${CHECK_HEADER_PREFIX}request`,
  /** What may be given back after the response: a ticket and response codes, separated by spaces; missing for nothing. */
  refund: `${CHECK_HEADER_PREFIX}refund`,
} as const;

/** Envoy's own header of an answer: the names of headers that the request loses, separated by commas. */
export const HEADERS_TO_REMOVE_HEADER = 'x-envoy-auth-headers-to-remove';

/**
 * Headers of the answer to a Check that an allowed request gets in its response: what is left of its quotas
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export const RESPONSE_HEADERS: readonly string[] = ['ratelimit', 'ratelimit-policy'];

/**
 * Added to the status of a refusal that Envoy would take for a permission (200) or for an error of the policy server
 * (500 to 599). The local replies of proxies take it away.
 */
export const SHIFTED_STATUS = 400;

/** Headers of refusals that begin so are for the proxy, except those that begin with `POLICY_HEADER_PREFIX`. */
export const HIDDEN_HEADER_PREFIXES: readonly string[] = ['x-mesh-', 'x-envoy-'];
export const POLICY_HEADER_PREFIX = 'x-mesh-policy-';

/**
 * Response header of a refusal by the fail policy, with the reason: `unreachable` from a proxy without an answer of the
 * policy server; `backend`, `quota`, `rule`, `internal` or `overloaded` from the server.
 */
export const POLICY_UNAVAILABLE_HEADER = `${POLICY_HEADER_PREFIX}unavailable`;

/** Key of the dynamic metadata that every answer to a Check brings along, under the name of the filter that asked. */
export const CHECK_ERROR_CODE_KEY = 'check_error_code';

/** Dynamic metadata of requests and connections that proxies keep for the access log. */
export const DYNAMIC_METADATA_NAMESPACE = 'mesh.policy';

/** Key in that namespace: the value of the header x-mesh-attributes before its removal. */
export const FORWARDED_METADATA_KEY = 'forwarded';

/** Dynamic metadata of requests in which Envoy's JWT filter keeps the payloads that it has verified. */
export const JWT_METADATA_NAMESPACE = 'envoy.filters.http.jwt_authn';

/** Names of the access logs, by the side of the proxy. */
export const ACCESS_LOG_NAMES = { inbound: 'inbound', outbound: 'outbound' } as const;

/** Type URLs of our own messages. The client configurations are also xDS resources. */
export const POLICY_TYPE_URLS = {
  attributes: 'type.googleapis.com/mesh.policy.v1.Attributes',
  httpClientConfig: 'type.googleapis.com/mesh.policy.v1.HttpClientConfig',
  tcpClientConfig: 'type.googleapis.com/mesh.policy.v1.TcpClientConfig',
  serviceConfig: 'type.googleapis.com/mesh.policy.v1.ServiceConfig',
  ruleObject: 'type.googleapis.com/mesh.policy.v1.RuleObject',
  plan: 'type.googleapis.com/mesh.policy.v1.ResolvedPlan',
} as const;
