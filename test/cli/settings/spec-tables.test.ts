import test from 'ava';
import { versionFlags } from '../../../src/cli/commands/version-command.js';
import { commonFlags } from '../../../src/cli/settings/common-flags.js';
import { discoveryFlags } from '../../../src/cli/settings/discovery-flags.js';
import { environmentVariables } from '../../../src/cli/settings/environment-variables.js';

interface Listed {
  readonly name: string;
  readonly default: string;
  readonly type: { readonly name: string };
  readonly addition?: boolean;
}

const SETTINGS: readonly Listed[] = [discoveryFlags, commonFlags, versionFlags, environmentVariables].flatMap(
  (table): readonly Listed[] => Object.values(table),
);

// test/surface has the others.
const ADDITIONS = `
MESH_DOMAIN string mesh.internal
NAV_ACCOUNT_OUTAGE_LIMIT duration 24h0m0s
NAV_ADAPTER_CREDENTIALS_DIR string /etc/navigator/adapters
NAV_CHECK_SERVICE_ACCOUNTS bool true
NAV_CREDENTIALS_DIR string ./var/lib/mesh/credentials
NAV_DNS_ANSWERS_PER_SECOND int 50000
NAV_DNS_CACHE_BYTES int 16777216
NAV_DNS_CLIENT_ANSWERS_PER_SECOND int 25000
NAV_DNS_MAX_CONNECTIONS int 10000
NAV_DNS_MAX_QUERIES int 30000
NAV_DNS_SERVER_CA_FILE string 
NAV_DNS_TCP_IDLE_TIMEOUT duration 10s
NAV_DNS_TIMEOUT duration 5s
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
OTEL_EXPORTER_OTLP_ENDPOINT string 
OTEL_EXPORTER_OTLP_HEADERS string 
OTEL_EXPORTER_OTLP_PROTOCOL string http/protobuf
OTEL_EXPORTER_OTLP_TIMEOUT int 10000
OTEL_EXPORTER_OTLP_TRACES_ENDPOINT string 
OTEL_RESOURCE_ATTRIBUTES string 
OTEL_SDK_DISABLED bool false
OTEL_SERVICE_NAME string 
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
  const additions = SETTINGS.filter(({ addition }) => addition === true);
  const rows = additions.map((setting) => `${setting.name} ${setting.type.name} ${setting.default}`);
  t.deepEqual(rows.sort(), ADDITIONS.trim().split('\n'));
});
