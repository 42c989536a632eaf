import test from 'ava';
import { versionFlags } from '../../../src/cli/commands/version-command.js';
import { commonFlags } from '../../../src/cli/settings/common-flags.js';
import { discoveryFlags } from '../../../src/cli/settings/discovery-flags.js';
import { environmentVariables } from '../../../src/cli/settings/environment-variables.js';

// The specified command line, written by hand, so that a changed name, shorthand, type or default fails a test.
const DISCOVERY_FLAGS = `
appNamespace                a string      -
caCertFile                  - string      -
clusterID                   - string      Orchestrator
clusterRegistriesNamespace  - string      mesh-system
configDir                   - string      -
catalogserverURL            - string      -
domain                      - string      cluster.local
grpcAddr                    - string      :15010
httpAddr                    - string      :8080
httpsAddr                   - string      :15017
orchconfig                  - string      -
mcpInitialConnWindowSize    - int         1048576
mcpInitialWindowSize        - int         1048576
mcpMaxMsgSize               - int         4194304
meshConfig                  - string      ./etc/mesh/config/mesh
monitoringAddr              - string      :15014
namespace                   n string      mesh-system
networksConfig              - string      /etc/mesh/config/meshNetworks
plugins                     - strings     authn,authz,health,policy
profile                     - bool        false
registries                  - strings     Orchestrator
resync                      - duration    1m0s
secureGRPCAddr              - string      :15012
tlsCertFile                 - string      -
tlsKeyFile                  - string      -
trust-domain                - string      -
`;

const COMMON_FLAGS = `
introspect_address               - string      localhost
introspect_port                  - uint16      9876
keepaliveInterval                - duration    30s
keepaliveMaxServerConnectionAge  - duration    2562047h47m16.854775807s
keepaliveTimeout                 - duration    10s
log_as_json                      - bool        false
log_caller                       - string      -
log_output_level                 - string      default:info
log_rotate                       - string      -
log_rotate_max_age               - int         30
log_rotate_max_backups           - int         1000
log_rotate_max_size              - int         104857600
log_stacktrace_level             - string      default:none
log_target                       - stringArray stdout
`;

const VERSION_FLAGS = `
output o string -
short  s bool   true
`;

const VARIABLES = `
AUDIENCE                                        - string   -
BYPASS_OOP_MTLS_SAN_VERIFICATION                - bool     false
CENTRAL_MESHD                                   - bool     false
CA_ENABLE_JITTER_FOR_ROOT_CERT_ROTATOR          - bool     true
CA_SELF_SIGNED_CA_CERT_TTL                      - duration 87600h0m0s
CA_SELF_SIGNED_CA_RSA_KEY_SIZE                  - int      2048
CA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL         - duration 1h0m0s
CA_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE - int     20
CLUSTER_ID                                      - string   Orchestrator
DEFAULT_WORKLOAD_CERT_TTL                       - duration 24h0m0s
DNS_ADDR                                        - string   :15053
DNS_AGENT                                       - string   -
DNS_SERVER                                      - string   -
ENABLE_CA_SERVER                                - bool     true
INJECTION_WEBHOOK_CONFIG_NAME                   - string   mesh-sidecar-injector
MESHD_CUSTOM_HOST                               - string   -
MESH_DEFAULT_REQUEST_TIMEOUT                    - duration 0s
MESH_GPRC_MAXRECVMSGSIZE                        - int      4194304
MESH_GPRC_MAXSTREAMS                            - int      100000
MESH_LANG                                       - string   -
JWT_POLICY                                      - string   third-party-jwt
ORCH_SERVICE_HOST                               - string   -
MAX_WORKLOAD_CERT_TTL                           - duration 2160h0m0s
NAV_CERT_PROVIDER                               - string   meshd
NAV_DEBOUNCE_AFTER                              - duration 100ms
NAV_DEBOUNCE_MAX                                - duration 10s
NAV_DISTRIBUTION_HISTORY_RETENTION              - duration 1m0s
NAV_ENABLED_SERVICE_APIS                        - bool     false
NAV_ENABLE_ANALYSIS                             - bool     false
NAV_ENABLE_CONFIG_DISTRIBUTION_TRACKING         - bool     true
NAV_ENABLE_CRD_VALIDATION                       - bool     false
NAV_ENABLE_EDS_DEBOUNCE                         - bool     true
NAV_ENABLE_EDS_FOR_HEADLESS_SERVICES            - bool     false
NAV_ENABLE_HEADLESS_SERVICE_POD_LISTENERS       - bool     true
NAV_ENABLE_INCREMENTAL_MCP                      - bool     false
NAV_ENABLE_ORCH_SELECT_WORKLOAD_ENTRIES         - bool     true
NAV_ENABLE_RELATIONALDB_FILTER                  - bool     false
NAV_ENABLE_PROTOCOL_SNIFFING_FOR_INBOUND        - bool     true
NAV_ENABLE_PROTOCOL_SNIFFING_FOR_OUTBOUND       - bool     true
NAV_ENABLE_KEYVALUE_FILTER                      - bool     false
NAV_ENABLE_SERVICEENTRY_SELECT_PODS             - bool     true
NAV_ENABLE_STATUS                               - bool     false
NAV_ENABLE_TCP_METADATA_EXCHANGE                - bool     true
NAV_ENABLE_THRIFT_FILTER                        - bool     false
NAV_ENABLE_VIRTUAL_SERVICE_DELEGATE             - bool     false
NAV_HTTP10                                      - bool     false
NAV_INBOUND_PROTOCOL_DETECTION_TIMEOUT          - duration 1s
NAV_INITIAL_FETCH_TIMEOUT                       - duration 0s
NAV_PUSH_THROTTLE                               - int      100
NAV_SCOPE_GATEWAY_TO_NAMESPACE                  - bool     false
NAV_SIDECAR_USE_REMOTE_ADDRESS                  - bool     false
NAV_SKIP_VALIDATE_TRUST_DOMAIN                  - bool     false
NAV_STATUS_BURST                                - int      500
NAV_STATUS_QPS                                  - float    100
NAV_TRACE_SAMPLING                              - float    100
NAV_USE_ENDPOINT_SLICE                          - bool     false
POD_NAMESPACE                                   - string   mesh-system
ROOT_CA_DIR                                     - string   ./etc/cacerts
SPIFFE_BUNDLE_ENDPOINTS                         - string   -
TERMINATION_DRAIN_DURATION_SECONDS              - int      5
TOKEN_ISSUER                                    - string   -
VALIDATION_WEBHOOK_CONFIG_NAME                  - string   meshd-\${namespace}
XDS_AUTH                                        - bool     true
INGRESS_GATEWAY_NAMESPACE                       - string   -
MESH_METRICS_ANNOTATIONS                        - string   -
NAV_DEBUG_ADSZ_CONFIG                           - bool     false
NAV_FILTER_GATEWAY_CLUSTER_CONFIG               - bool     false
ORCH_INGRESS_NS                                 - string   -
POD_NAME                                        - string   -
REVISION                                        - string   -
SECRET_WATCHER_RESYNC_PERIOD                    - string   -
`;

interface Listed {
  readonly name: string;
  readonly shorthand?: string;
  readonly default: string;
  readonly type: { readonly name: string; parse(texts: readonly string[]): { readonly ok: boolean } };
  readonly meaning: string;
  readonly addition?: boolean;
}

const TABLES: readonly (readonly [string, string, readonly Listed[]])[] = [
  ['flags of discovery', DISCOVERY_FLAGS, Object.values(discoveryFlags)],
  ['common flags', COMMON_FLAGS, Object.values(commonFlags)],
  ['flags of version', VERSION_FLAGS, Object.values(versionFlags)],
  ['environment variables', VARIABLES, Object.values(environmentVariables)],
];

for (const [title, expected, settings] of TABLES) {
  test(`the ${title} have the names, shorthands, types and defaults of the specification`, (t) => {
    const rows = expected
      .trim()
      .split('\n')
      .map((row) => row.split(/\s+/).map((cell) => (cell === '-' ? '' : cell)))
      .sort(byName);
    const actual = settings
      .filter(({ addition }) => addition !== true)
      .map((setting) => [setting.name, setting.shorthand ?? '', setting.type.name, setting.default])
      .sort(byName);
    t.deepEqual(actual, rows);
  });

  test(`the ${title} have valid defaults and a help text`, (t) => {
    for (const setting of settings) {
      t.true(setting.type.parse([setting.default]).ok, setting.name);
      t.true(setting.meaning.length > 5, setting.name);
    }
  });
}

const ADDITIONS = `
MESH_DOMAIN string mesh.internal
NAV_ACCOUNT_OUTAGE_LIMIT duration 24h0m0s
NAV_CHECK_SERVICE_ACCOUNTS bool true
NAV_CREDENTIALS_DIR string ./var/lib/mesh/credentials
NAV_EGRESS_ALLOWED string 
NAV_FAILED_CALLERS_BURST int 200
NAV_FAILED_CALLERS_RATE int 10
NAV_HTTP_HEADERS_TIMEOUT duration 5s
NAV_HTTP_IDLE_TIMEOUT duration 1m0s
NAV_HTTP_MAX_CONNECTIONS int 1024
NAV_HTTP_MAX_CONNECTIONS_PER_PEER int 512
NAV_JWKS_MAX_AGE duration 24h0m0s
NAV_JWKS_MAX_NAMESPACE_SOURCES int 100
NAV_JWKS_MAX_SOURCES int 2000
NAV_JWKS_REFRESH_INTERVAL duration 5m0s
NAV_LOAD_REPORT_INTERVAL duration 10s
NAV_LOAD_REPORT_MAX_SERIES int 5000
NAV_MESH_CONFIG_DEFAULTS string 
NAV_METRICS_MIN_INTERVAL duration 1s
NAV_POLICY_CONFIG_DEFAULTS string 
NAV_POLICY_READERS string navigator-policy
NAV_POLICY_TLS string auto
NAV_REGEX_EXPRESSION_BYTES int 655360
NAV_REGEX_MESSAGE_BYTES int 2097152
NAV_REGEX_NAMESPACE_BYTES int 33554432
NAV_REGEX_OBJECT_BYTES int 8388608
NAV_REGEX_PROGRAMS_BYTES int 67108864
NAV_REGEX_SERVICE_BYTES int 16777216
NAV_TOKEN_REVIEW_CONCURRENCY int 32
NAV_TOKEN_REVIEW_QUEUE int 20000
NAV_TOKEN_REVIEW_WAIT duration 10s
NAV_WEBHOOK_BODY_BYTES int 67108864
NAV_WEBHOOK_CLIENT_CA_FILE string 
NAV_WEBHOOK_PARSED_BYTES int 201326592
NAV_WEBHOOK_QUEUE_TIMEOUT duration 2s
NAV_XDS_ACK_TIMEOUT duration 15s
NAV_XDS_CLIENT_STATUS_MAX_BYTES int 16777216
NAV_XDS_FIRST_REQUEST_TIMEOUT duration 30s
NAV_XDS_MAX_BYTES int 0
NAV_XDS_MAX_CONNECTION_STREAMS int 1000
NAV_XDS_MAX_NAMES int 100000
NAV_XDS_MAX_NODE_BYTES int 524288
NAV_XDS_MAX_PEER_BYTES int 0
NAV_XDS_MAX_PEER_STREAMS int 30000
NAV_XDS_MAX_STREAM_NAMES int 200000
NAV_XDS_MAX_UNREAD_STREAMS int 500
NAV_XDS_REQUESTS_PER_SECOND int 100
NAV_XDS_REST_LEASE duration 1m0s
NAV_XDS_REST_MAX_BODY_BYTES int 67108864
NAV_XDS_REST_MAX_POLLS int 512
NAV_XDS_REST_POLL_TIMEOUT duration 30s
POD_UID string 
drainTime duration 5s
drainTimeout duration 25s
grpcMaxAbandonedStreams int 200
grpcMaxCertificateRequestBytes int 65536
grpcMaxCheckBytes int 1048576
grpcMaxControlBytes int 1048576
grpcMaxControlFrames int 1000
grpcMaxHeaderBytes int 32768
grpcMaxIncompleteBytes int 268435456
grpcMaxIncompleteBytesPerAddress int 134217728
grpcMaxIncompleteBytesPerConnection int 16777216
grpcMaxProbeBytes int 4096
grpcMaxUnprovenConnections int 12000
grpcMaxUnprovenConnectionsPerAddress int 11000
grpcMessageTimeout duration 30s
grpcUnprovenTimeout duration 1m0s
policyAddr string :15016
policyConfig string ./etc/mesh/config/policy
`;

test('this list has all flags and variables that are marked as additions', (t) => {
  const additions = TABLES.flatMap(([, , settings]) => settings.filter(({ addition }) => addition === true));
  const rows = additions.map((setting) => `${setting.name} ${setting.type.name} ${setting.default}`);
  t.deepEqual(rows.sort(), ADDITIONS.trim().split('\n'));
});

function byName(one: readonly (string | undefined)[], other: readonly (string | undefined)[]): number {
  return (one[0] ?? '') < (other[0] ?? '') ? -1 : 1;
}
