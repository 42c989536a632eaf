import { rowsOf } from './surface-row.js';

const EFFECTS = 'bootstrap/variable-effects.test.ts | changes what proxies get';
const SIGNING = 'ca/authority/local-authority.test.ts';
const ROTATION = 'ca/rotation/root-rotator.test.ts';

/** Section 4.6. */
export const VARIABLES = rowsOf(`
AUDIENCE | string | - | ca/authentication/oidc/oidc-authenticator.test.ts | issuer and audience come from our own token unless they are set
BYPASS_OOP_MTLS_SAN_VERIFICATION | bool | false | policy/remote/grpc-policy-transport.test.ts | with BYPASS_OOP_MTLS_SAN_VERIFICATION a trusted certificate may be for another name than the address
CENTRAL_MESHD | bool | false | bootstrap/multicluster-central.test.ts | with CENTRAL_MESHD the workloads of remote clusters get the roots too, while their cluster is registered
CA_ENABLE_JITTER_FOR_ROOT_CERT_ROTATOR | bool | true | ${ROTATION} | with jitter the first check is at a random time within the first interval, and later checks an interval apart | jitter
CA_SELF_SIGNED_CA_CERT_TTL | duration | 87600h0m0s | e2e/trust.test.ts | root, serving certificate and workload certificates rotate under load: no request fails, and both webhooks work
CA_SELF_SIGNED_CA_RSA_KEY_SIZE | int | 2048 | ${ROTATION} | a stored root is used as it is, also with a key of another size | size
CA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL | duration | 1h0m0s | e2e/trust.test.ts | root, serving certificate and workload certificates rotate under load: no request fails, and both webhooks work
CA_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE | int | 20 | e2e/trust.test.ts | root, serving certificate and workload certificates rotate under load: no request fails, and both webhooks work
CLUSTER_ID | string | Orchestrator | cli/parse-options.test.ts | the cluster ID is that of --clusterID, else of CLUSTER_ID
DEFAULT_WORKLOAD_CERT_TTL | duration | 24h0m0s | e2e/trust.test.ts | root, serving certificate and workload certificates rotate under load: no request fails, and both webhooks work
DNS_ADDR | string | :15053 | bootstrap/dns.test.ts | the process answers the names of its folder at DNS_ADDR, over UDP and TCP
DNS_AGENT | string | - | bootstrap/injection/create-injector.test.ts | , dnsCapture of the values is
DNS_SERVER | string | - | dns/forwarding.test.ts | DNS_SERVER is asked over TLS, on one connection, and must have a certificate of the given roots
ENABLE_CA_SERVER | bool | true | bootstrap/bad-input.test.ts | secrets that are asked for on the plaintext listener are not served, and one warning says where they are
INJECTION_WEBHOOK_CONFIG_NAME | string | mesh-sidecar-injector | cli/parse-options.test.ts | an empty variable counts as not set; an empty INJECTION_WEBHOOK_CONFIG_NAME turns patching off
MESHD_CUSTOM_HOST | string | - | ca/server-certificate/create-server-certificate.test.ts | the authority signs a certificate for all names of this server, with which a TLS handshake succeeds | customHost
MESH_DEFAULT_REQUEST_TIMEOUT | duration | 0s | ${EFFECTS}
MESH_GPRC_MAXRECVMSGSIZE | int | 4194304 | xds/grpc-server.test.ts | a message above MESH_GPRC_MAXRECVMSGSIZE ends its stream and no other
MESH_GPRC_MAXSTREAMS | int | 100000 | bootstrap/settings.test.ts | streams beyond MESH_GPRC_MAXSTREAMS of one connection wait until another one ends
MESH_LANG | string | - | config/policy-rules/expression-language.test.ts | MESH_LANG decides in which language rules are read
JWT_POLICY | string | third-party-jwt | ca/authentication/token-review.test.ts | first-party-jwt requires no audience | first-party-jwt
ORCH_SERVICE_HOST | string | - | cli/parse-options.test.ts | in a pod, where
MAX_WORKLOAD_CERT_TTL | duration | 2160h0m0s | ${SIGNING} | a lifetime above the maximum is rejected | maximum
NAV_CERT_PROVIDER | string | meshd | ca/server-certificate/create-server-certificate.test.ts | a folder as the provider gives certificate and roots, and is read again when it changes
NAV_DEBOUNCE_AFTER | duration | 100ms | push/debouncer.test.ts | one change is pushed when it has been quiet for NAV_DEBOUNCE_AFTER
NAV_DEBOUNCE_MAX | duration | 10s | push/debouncer.test.ts | continuous changes are pushed after NAV_DEBOUNCE_MAX
NAV_DISTRIBUTION_HISTORY_RETENTION | duration | 1m0s | bootstrap/settings.test.ts | old states expire after NAV_DISTRIBUTION_HISTORY_RETENTION, also for a proxy that still has one
NAV_ENABLED_SERVICE_APIS | bool | false | e2e/gateway-api.test.ts | requests reach the Services of HTTPRoutes through the router of a Gateway
NAV_ENABLE_ANALYSIS | bool | false | bootstrap/analysis-off.test.ts | NAV_ENABLE_ANALYSIS=true reports messages, and false runs no analyzer
NAV_ENABLE_CONFIG_DISTRIBUTION_TRACKING | bool | true | bootstrap/settings.test.ts | without distribution tracking, config_distribution says 409 and nonces have no root before them
NAV_ENABLE_CRD_VALIDATION | bool | false | sources/kubernetes/objects/resource-objects.test.ts | whatever lists and events come, what is served is what the cluster has, at its last good state | withdrawsInvalid
NAV_ENABLE_EDS_DEBOUNCE | bool | true | bootstrap/settings.test.ts | NAV_ENABLE_EDS_DEBOUNCE=false sends endpoints at once, while other changes wait
NAV_ENABLE_EDS_FOR_HEADLESS_SERVICES | bool | false | ${EFFECTS}
NAV_ENABLE_HEADLESS_SERVICE_POD_LISTENERS | bool | true | ${EFFECTS}
NAV_ENABLE_INCREMENTAL_MCP | bool | false | -
NAV_ENABLE_ORCH_SELECT_WORKLOAD_ENTRIES | bool | true | ${EFFECTS}
NAV_ENABLE_RELATIONALDB_FILTER | bool | false | generators/listeners/outbound/outbound-part.test.ts | MySQL has a filter before the TCP proxy where NAV_ENABLE_RELATIONALDB_FILTER says so
NAV_ENABLE_PROTOCOL_SNIFFING_FOR_INBOUND | bool | true | ${EFFECTS}
NAV_ENABLE_PROTOCOL_SNIFFING_FOR_OUTBOUND | bool | true | ${EFFECTS}
NAV_ENABLE_KEYVALUE_FILTER | bool | false | ${EFFECTS}
NAV_ENABLE_SERVICEENTRY_SELECT_PODS | bool | true | ${EFFECTS}
NAV_ENABLE_STATUS | bool | false | bootstrap/kubernetes.test.ts | the server beside a cluster serves its services to proxies, and writes the status of its objects
NAV_ENABLE_TCP_METADATA_EXCHANGE | bool | true | -
NAV_ENABLE_THRIFT_FILTER | bool | false | ${EFFECTS}
NAV_ENABLE_VIRTUAL_SERVICE_DELEGATE | bool | false | status/analysis/routing-messages.test.ts | with delegates turned off, an object with one is ignored, and the message names the variable
NAV_HTTP10 | bool | false | ${EFFECTS}
NAV_INBOUND_PROTOCOL_DETECTION_TIMEOUT | duration | 1s | ${EFFECTS}
NAV_INITIAL_FETCH_TIMEOUT | duration | 0s | ${EFFECTS}
NAV_PUSH_THROTTLE | int | 100 | push/push-queue.test.ts | no more proxies than NAV_PUSH_THROTTLE are sent to before one of them is flushed
NAV_SCOPE_GATEWAY_TO_NAMESPACE | bool | false | status/analysis/traffic-messages.test.ts | a Gateway selects workloads of all namespaces, or with NAV_SCOPE_GATEWAY_TO_NAMESPACE of its own
NAV_SIDECAR_USE_REMOTE_ADDRESS | bool | false | ${EFFECTS}
NAV_SKIP_VALIDATE_TRUST_DOMAIN | bool | false | ca/authentication/client-certificate.test.ts | with NAV_SKIP_VALIDATE_TRUST_DOMAIN any trust domain of our authority is accepted
NAV_STATUS_BURST | int | 500 | status/kubernetes/status-writer.test.ts | writes are limited by the burst, and then by the rate per second | burst
NAV_STATUS_QPS | float | 100 | status/kubernetes/status-writer.test.ts | writes are limited by the burst, and then by the rate per second | perSecond
NAV_TRACE_SAMPLING | float | 100 | ${EFFECTS}
NAV_USE_ENDPOINT_SLICE | bool | false | ${EFFECTS}
POD_NAMESPACE | string | mesh-system | cli/parse-options.test.ts | the namespace is that of --namespace, else of POD_NAMESPACE, else mesh-system
ROOT_CA_DIR | string | ./etc/cacerts | ca/create-authority.test.ts | the CA in ROOT_CA_DIR signs, and is reloaded when its files change
SPIFFE_BUNDLE_ENDPOINTS | string | - | ca/authentication/client-certificate.test.ts | a trust domain with a bundle is verified against its own roots only | bundle
TERMINATION_DRAIN_DURATION_SECONDS | int | 5 | bootstrap/variable-effects.test.ts | TERMINATION_DRAIN_DURATION_SECONDS is the default of the mesh config
TOKEN_ISSUER | string | - | ca/authentication/oidc/oidc-authenticator.test.ts | in a pod TOKEN_ISSUER counts if it is set, and our own token does not
VALIDATION_WEBHOOK_CONFIG_NAME | string | meshd-\${namespace} | cli/parse-options.test.ts | VALIDATION_WEBHOOK_CONFIG_NAME is filled with the namespace
XDS_AUTH | bool | true | bootstrap/variable-effects.test.ts | : a proxy without credentials
INGRESS_GATEWAY_NAMESPACE | string | - | -
MESH_METRICS_ANNOTATIONS | string | - | webhooks/injection/probes.test.ts | scrapers go to the status port if the template has an agent that merges metrics
NAV_DEBUG_ADSZ_CONFIG | bool | false | introspection/proxy-pages.test.ts | adsz and cdsz show resources only with NAV_DEBUG_ADSZ_CONFIG
NAV_FILTER_GATEWAY_CLUSTER_CONFIG | bool | false | generators/gateways/filtered-clusters.test.ts | with NAV_FILTER_GATEWAY_CLUSTER_CONFIG a router gets only clusters that its virtual services lead to
ORCH_INGRESS_NS | string | - | model/derived/ingress.test.ts | an Ingress gives a Gateway in ORCH_INGRESS_NS, to which only its own namespace may bind
POD_NAME | string | - | bootstrap/kubernetes.test.ts | the server beside a cluster serves its services to proxies, and writes the status of its objects
REVISION | string | - | ${EFFECTS}
SECRET_WATCHER_RESYNC_PERIOD | string | - | -
`);
