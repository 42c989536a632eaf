/** The methods of RFC 7231 and 5789. A request may have other methods. */
export const KNOWN_METHODS: readonly string[] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE',
  'PATCH',
];

/**
 * The transport type of an attribute (docs/reference/policy-kinds.md#attributes). Bytes are IP addresses in network
 * byte order.
 */
export type VocabularyType = 'string' | 'int64' | 'bool' | 'bytes' | 'timestamp' | 'duration' | 'stringMap';

/** Where the value of an attribute comes from. */
export type AttributeProducer =
  /** The proxy reads it from the request or connection. */
  | 'proxy'
  /** The control plane writes it into the configuration of proxies. */
  | 'control plane'
  /** The proxy of the caller forwards it. For outbound checks, it is the checking proxy itself. */
  | 'proxy of the caller'
  /** An HTTPAPISpec that is bound to the service sets it. */
  | 'HTTPAPISpec'
  /** The plan of the request sets it. */
  | 'Plan'
  /** It comes from the answer of the policy server to the Check. */
  | 'policy server';

/** One attribute of the vocabulary. */
export interface VocabularyEntry {
  readonly name: string;
  readonly type: VocabularyType;
  /** `check`: known when quotas are charged. `report`: known only at the end of the request or connection, too late for quotas. */
  readonly known: 'check' | 'report';
  readonly protocols: 'http' | 'tcp' | 'http and tcp';
  readonly setBy: AttributeProducer;
  readonly description: string;
  /** All possible values; absent: any value. */
  readonly values?: readonly string[];
  /** A prefix that values never have, although users may expect it. */
  readonly neverBegins?: string;
  /** The form of all values: a path without its query, a path with its query, or a method; absent: any form. */
  readonly form?: 'path' | 'path and query' | 'method';
  /** Whether the value differs for each request or connection. As the dimension of a quota it would limit nothing. */
  readonly isUnique?: true;
}

type Given = Pick<VocabularyEntry, 'name' | 'description'> & Partial<VocabularyEntry>;

const http = (type: VocabularyType, entry: Given): VocabularyEntry => ({
  type,
  known: 'check',
  protocols: 'http',
  setBy: 'proxy',
  ...entry,
});
const both = (type: VocabularyType, entry: Given): VocabularyEntry =>
  http(type, { protocols: 'http and tcp', ...entry });
const tcp = (type: VocabularyType, entry: Given): VocabularyEntry => http(type, { protocols: 'tcp', ...entry });
const late = (entry: VocabularyEntry): VocabularyEntry => ({ ...entry, known: 'report' });

const SPIFFE = { neverBegins: 'spiffe://' } as const;

/**
 * The table of attributes (docs/reference/policy-kinds.md#attributes). docs/attributes.md is generated from it, and
 * conditions and dimensions are checked against it. It has every attribute that a proxy or the policy client sets; a
 * test checks that.
 */
export const ATTRIBUTE_VOCABULARY: readonly VocabularyEntry[] = [
  http('string', {
    name: 'request.path',
    description: 'Path with its query, as in the request.',
    form: 'path and query',
  }),
  http('string', { name: 'request.url_path', description: 'Path without its query.', form: 'path' }),
  http('stringMap', { name: 'request.query_params', description: 'Parameters of the query, by name.' }),
  http('string', {
    name: 'request.method',
    description: 'Method, in the spelling of the request: `GET`.',
    form: 'method',
  }),
  http('string', { name: 'request.httpmethod', description: 'The same as `request.method`.', form: 'method' }),
  http('string', { name: 'request.host', description: '`:authority`, or the header `host`.' }),
  http('string', {
    name: 'request.scheme',
    description: 'Scheme of the request; `http` if it is unknown.',
    values: ['http', 'https'],
  }),
  http('stringMap', {
    name: 'request.headers',
    description:
      'Headers by lower-case name, several values joined by commas; without `x-mesh-attributes` and `x-mesh-charge-receipt`.',
  }),
  http('string', { name: 'request.referer', description: 'Header `referer`.' }),
  http('string', { name: 'request.useragent', description: 'Header `user-agent`.' }),
  http('timestamp', {
    name: 'request.time',
    description: 'When the headers of the request were read.',
    isUnique: true,
  }),
  http('int64', {
    name: 'request.size',
    description: 'Bytes of the body: in a check the value of `content-length`, in a report the bytes received.',
  }),
  http('string', { name: 'request.api_key', description: 'API key, from the place that the HTTPAPISpec sets.' }),
  http('string', { name: 'request.auth.principal', description: '`<issuer>/<subject>` of a verified token.' }),
  http('string', { name: 'request.auth.audiences', description: 'Audiences of the token, joined by commas.' }),
  http('string', { name: 'request.auth.presenter', description: 'Claim `azp` of the token.' }),
  http('string', { name: 'request.auth.raw_claims', description: 'Payload of the token, as JSON.' }),
  http('stringMap', { name: 'request.auth.claims', description: 'Claims of the token with text values, by name.' }),

  http('string', { name: 'api.service', setBy: 'HTTPAPISpec', description: 'Name of the API.' }),
  http('string', { name: 'api.version', setBy: 'HTTPAPISpec', description: 'Version of the API.' }),
  http('string', { name: 'api.operation', setBy: 'HTTPAPISpec', description: 'Operation, by method and path.' }),
  http('string', { name: 'api.protocol', setBy: 'HTTPAPISpec', description: 'Protocol of the API.' }),
  both('string', {
    name: 'api.plan',
    setBy: 'Plan',
    description: 'Plan of the request: `<namespace>/<name>`.',
  }),
  both('string', {
    name: 'api.consumer',
    setBy: 'Plan',
    description: 'Consumer that has the key: `<namespace>/<name>`; without a known key the same as `api.key_id`.',
  }),
  both('string', {
    name: 'api.key_id',
    setBy: 'Plan',
    description:
      '`sha256:` and the hash of the key; without a known key `address:` and the address of the client, of IPv6 its network (`/64`).',
  }),

  both('bytes', { name: 'origin.ip', description: 'Address of the client, as far as the proxy can tell.' }),
  both('string', {
    name: 'source.principal',
    description: 'Verified identity of the client: `<trust domain>/ns/<namespace>/sa/<account>`, without `spiffe://`.',
    ...SPIFFE,
  }),
  both('string', { name: 'source.user', description: 'The same as `source.principal`.', ...SPIFFE }),
  both('string', { name: 'source.namespace', description: 'Namespace of the client, from its verified identity.' }),
  both('string', {
    name: 'source.uid',
    setBy: 'proxy of the caller',
    description: 'Workload of the client: `orchestrator://<name>.<namespace>`.',
  }),
  both('bytes', { name: 'source.ip', description: 'Address that the connection came from.' }),

  both('string', {
    name: 'destination.principal',
    description: 'Verified identity of the serving workload, without `spiffe://`.',
    ...SPIFFE,
  }),
  both('string', {
    name: 'destination.service',
    setBy: 'control plane',
    description: 'The same as `destination.service.host`, unless the configuration sets another.',
  }),
  both('string', {
    name: 'target.service',
    setBy: 'control plane',
    description: 'The same as `destination.service.host`, unless the configuration sets another.',
  }),
  both('string', {
    name: 'destination.service.host',
    setBy: 'control plane',
    description: 'Host name of the service.',
  }),
  both('string', {
    name: 'destination.service.name',
    setBy: 'control plane',
    description: 'Short name of the service.',
  }),
  both('string', {
    name: 'destination.service.namespace',
    setBy: 'control plane',
    description: 'Namespace of the service.',
  }),
  both('string', {
    name: 'destination.service.uid',
    setBy: 'control plane',
    description: '`mesh://<namespace>/services/<name>`.',
  }),
  both('string', {
    name: 'destination.uid',
    setBy: 'control plane',
    description: 'Serving workload: `orchestrator://<name>.<namespace>`; only in checks by its own proxy.',
  }),
  both('string', {
    name: 'destination.namespace',
    setBy: 'control plane',
    description: 'Namespace of the serving workload; only in checks by its own proxy.',
  }),
  both('bytes', {
    name: 'destination.ip',
    setBy: 'control plane',
    description: 'Address of the serving workload; only in checks by its own proxy.',
  }),
  both('int64', {
    name: 'destination.port',
    setBy: 'control plane',
    description: 'Port of the serving workload; only in checks by its own proxy.',
  }),
  both('stringMap', {
    name: 'destination.labels',
    setBy: 'control plane',
    description: 'Labels of the serving workload that bindings name; only in checks by its own proxy.',
  }),
  both('string', {
    name: 'destination.mesh.id',
    setBy: 'control plane',
    description: 'Mesh of the serving workload.',
  }),

  both('bool', {
    name: 'connection.mtls',
    description: 'Whether the client has shown a certificate that was verified.',
  }),
  both('string', { name: 'connection.requested_server_name', description: 'Server name of TLS (SNI).' }),
  tcp('string', { name: 'connection.id', description: 'Identifier of the connection.', isUnique: true }),
  tcp('timestamp', { name: 'context.time', description: 'When the connection was opened.', isUnique: true }),
  both('string', {
    name: 'context.protocol',
    description: '`grpc` for requests with a content type of gRPC, `http` for others, `tcp` for connections.',
    values: ['http', 'grpc', 'tcp'],
  }),
  both('string', { name: 'context.reporter.uid', setBy: 'control plane', description: 'Workload whose proxy checks.' }),
  both('string', {
    name: 'context.reporter.kind',
    setBy: 'control plane',
    description: 'Side of the proxy that checks.',
    values: ['inbound', 'outbound'],
  }),
  both('string', {
    name: 'context.proxy_version',
    setBy: 'control plane',
    description: 'Version of the proxy that checks; only outbound.',
  }),

  late(http('int64', { name: 'request.total_size', description: 'Bytes of body and headers of the request.' })),
  late(http('int64', { name: 'response.size', description: 'Bytes of the body of the response.' })),
  late(http('int64', { name: 'response.total_size', description: 'Bytes of body and headers of the response.' })),
  late(http('stringMap', { name: 'response.headers', description: 'Headers of the response, by lower-case name.' })),
  late(http('timestamp', { name: 'response.time', description: 'When the response was complete.' })),
  late(http('duration', { name: 'response.duration', description: 'Time from the first byte to the last.' })),
  late(http('int64', { name: 'response.code', description: 'Status of the response.' })),
  late(http('string', { name: 'response.grpc_status', description: 'Trailer `grpc-status`.' })),
  late(http('string', { name: 'response.grpc_message', description: 'Trailer `grpc-message`.' })),
  late(tcp('int64', { name: 'connection.received.bytes', description: 'Bytes received since the previous report.' })),
  late(tcp('int64', { name: 'connection.sent.bytes', description: 'Bytes sent since the previous report.' })),
  late(tcp('int64', { name: 'connection.received.bytes_total', description: 'Bytes received since the start.' })),
  late(tcp('int64', { name: 'connection.sent.bytes_total', description: 'Bytes sent since the start.' })),
  late(
    tcp('duration', { name: 'connection.duration', description: 'Time from open to close; only in the last report.' }),
  ),
  late(tcp('string', { name: 'connection.event', description: '`open`, `continue` or `close`.' })),
  late(both('string', { name: 'context.proxy_error_code', description: 'Error that the proxy itself reports.' })),
  late(both('int64', { name: 'check.error_code', setBy: 'policy server', description: 'Status of the Check.' })),
  late(both('string', { name: 'check.error_message', setBy: 'policy server', description: 'Message of the Check.' })),
  late(
    http('string', {
      name: 'check.dry_run',
      setBy: 'policy server',
      description:
        'Rules and quotas with `dryRun` that would have refused the request, each with its code, joined by commas.',
    }),
  ),
  late(
    http('bool', {
      name: 'check.cache_hit',
      setBy: 'policy server',
      description: 'Whether the answer came from a cache.',
    }),
  ),
  late(
    http('bool', {
      name: 'quota.cache_hit',
      setBy: 'policy server',
      description: 'Whether a cache granted the quota.',
    }),
  ),
  late(
    http('string', {
      name: 'rbac.permissive.response_code',
      description: 'Status with which access control would answer.',
    }),
  ),
  late(
    http('string', {
      name: 'rbac.permissive.effective_policy_id',
      description: 'Policy by which access control would answer.',
    }),
  ),
];
