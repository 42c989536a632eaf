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
 * Response header of a refusal by the fail policy, with the reason: `unreachable` from a proxy without an answer of the
 * policy server; `backend`, `quota`, `rule`, `internal` or `overloaded` from the server.
 */
export const POLICY_UNAVAILABLE_HEADER = 'x-mesh-policy-unavailable';

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
} as const;
