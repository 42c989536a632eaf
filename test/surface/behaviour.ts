import { rowsOf } from './surface-row.js';

/** Section 4.2: listeners, by the flag or variable that has their address. */
export const LISTENERS = rowsOf(`
grpcAddr | Discovery service, gRPC | :15010 | bootstrap/serving.test.ts | a changed endpoint reaches the proxy as one assignment and nothing else | connectProxy
httpAddr | Discovery service, HTTP | :8080 | bootstrap/metrics.test.ts | both HTTP listeners serve the same pages | server.http
httpsAddr | Injection and validation service, HTTPS | :15017 | bootstrap/webhooks.test.ts | a server with the rights of manifests/ has the API server ask it about objects, and warns of missing ones | https
secureGRPCAddr | Discovery service, secured gRPC | :15012 | bootstrap/policy-identity.test.ts | the account navigator-policy is served the policies of all namespaces over TLS | secureGrpc
monitoringAddr | Self-monitoring information, HTTP | :15014 | bootstrap/metrics.test.ts | both HTTP listeners serve the same pages | server.monitoring
introspect_port | Introspection facility | 9876 | introspection/topics.test.ts | --introspect_address and --introspect_port decide where the facility listens, and a port in use is only logged
profile | Optional profiling via web interface | false | introspection/topics.test.ts | go tool pprof opens the profiles, and one profile is made at a time
DNS_ADDR | Name-resolution listener | :15053 | bootstrap/dns.test.ts | the process answers the names of its folder at DNS_ADDR, over UDP and TCP
`);

/** Section 4.3: commands, with their synopses. */
export const COMMANDS = rowsOf(`
navigator-discovery | - | - | cli/main.test.ts | the binary without a command shows the commands and exits with 0 | binary
discovery | discovery [flags] | - | cli/run.test.ts | discovery starts the server with the parsed options and exits with 0 after it has stopped
request | request <method> <path> [<body>] [flags] | - | bootstrap/settings.test.ts | request asks the running server, and version prints the same as /version
version | version [flags] | - | cli/run.test.ts | the full version is version.BuildInfo{…} with five fields
`);

/** Section 4.5: log scopes. A row whose test is missing has no line of its own. */
export const LOG_SCOPE_ROWS = rowsOf(`
ads | scope | - | xds/grpc-server.test.ts | a peer that is rejected repeatedly is logged once | logger
adsc | scope | - | bootstrap/policy-process.test.ts | it enforces the quotas of the mesh exactly, and follows changes of policies and of limits
all | scope | - | telemetry/logging.test.ts | "all" sets every scope, and the later entry wins
analysis | scope | - | bootstrap/analysis-off.test.ts | NAV_ENABLE_ANALYSIS=true reports messages, and false runs no analyzer
attributes | scope | - | bootstrap/log-scopes.test.ts | a check has a line of the scope attributes without values that can be credentials
authn | scope | - | jwks/key-set-fetcher.test.ts | a failed fetch is repeated sooner than the interval, logged once, and a problem until it succeeds | logger
authorization | scope | - | bootstrap/log-scopes.test.ts | the policies of a workload have lines of the scope authorization, and too large ones a warning
cache | scope | - | bootstrap/log-scopes.test.ts | a replaced snapshot has a line of the scope cache with the work for its proxies
default | scope | - | bootstrap/lifecycle.test.ts | every target of --log_target gets every line, and the log is whole when the process ends | discovery server
grpcAdapter | scope | - | bootstrap/log-scopes.test.ts | a message of the gRPC library has a line of the scope grpcAdapter
kube | scope | - | sources/kubernetes/cluster/rights.test.ts | what may not be read is told of once, by verb and resource; the rest works, and so does a right that comes later | may
mcp | scope | - | -
model | scope | - | bootstrap/log-scopes.test.ts | a changed object has lines of the scopes processing, resource and model, at debug
pkica | scope | - | ca/create-authority.test.ts | a change to unusable content leaves the CA in force, and the log says why | log
processing | scope | - | bootstrap/log-scopes.test.ts | a changed object has lines of the scopes processing, resource and model, at debug
resource | scope | - | bootstrap/log-scopes.test.ts | a changed object has lines of the scopes processing, resource and model, at debug
rootcertrotator | scope | - | ca/rotation/root-rotator.test.ts | with an interval of zero nothing is checked again, and an expired root is logged | logger
secretcontroller | scope | - | bootstrap/multicluster.test.ts | a control plane that may not read secrets reports it and serves all the same | logged
secretfetcher | scope | - | sources/credentials/secret-credentials.test.ts | a changed Secret is served, a malformed one is logged and changes nothing, and a deleted one is gone | logger
serverca | scope | - | ca/service/certificate-service.test.ts | an exception ends only its call, and the caller does not get its text | logger
source | scope | - | bootstrap/serving.test.ts | mesh config is reloaded, and a bad one is reported and ignored | meshConfigFile
spiffe | scope | - | ca/authentication/spiffe/bundles.test.ts | changed roots cause a call of listeners, unchanged ones none, and known roots stay when a fetch fails | logger
status | scope | - | status/kubernetes/status-writer.test.ts | writes to an unavailable API server are retried with backoff and logged once | logger
validation | scope | - | webhooks/validation/validation-handler.test.ts | a failure to find warnings does not reject the object | logger
validationController | scope | - | webhooks/certificates/validation-controller.test.ts | are counted and logged once, and used when they are valid | logger
validationServer | scope | - | webhooks/admission/admission-endpoint.test.ts | an exception of the handler ends its request with 500 and is logged | logger
`);

/** Section 4.5: levels, most verbose first. */
export const LOG_LEVEL_ROWS = rowsOf(`
debug | level | - | telemetry/logging.test.ts | a scope writes lines of its level and above
info | level | - | telemetry/logging.test.ts | a scope writes lines of its level and above
warn | level | - | telemetry/logging.test.ts | a scope writes lines of its level and above
error | level | - | telemetry/logging.test.ts | a scope writes lines of its level and above
fatal | level | - | bootstrap/log-scopes.test.ts | a start that fails is logged at fatal before the process ends
none | level | - | telemetry/logging.test.ts | a scope writes lines of its level and above
`);

/** Section 7: errors. */
export const ERRORS = rowsOf(`
Client cannot connect, FAIL_OPEN | error | - | policy/client/check-flow.test.ts | when the server cannot be asked, FAIL_OPEN, the mesh-level default, allows the request | FAIL_OPEN
Client cannot connect, FAIL_CLOSE | error | - | policy/client/check-flow.test.ts | when the server cannot be asked, FAIL_CLOSE rejects the request, with the status of the transport | FAIL_CLOSE
Transport error | error | - | policy/client/retry-delay.test.ts | the delay has jitter, uniform between the bounds | jitter
Service-level networkFailPolicy | error | - | policy/client/policy-client.test.ts | networkFailPolicy: the policy of the service decides, others keep the policy of the mesh | networkFailPolicy
reportInterval below 1 second | error | - | policy/client/tcp-reports.test.ts | reportInterval is 10 s unless given, and 0 is below 1 second | reportInterval
CSR with a non-positive TTL | error | - | ca/service/certificate-service.test.ts | seconds means the default | validity
CA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL zero or negative | error | - | ca/rotation/root-rotator.test.ts | with an interval of zero nothing is checked again, and an expired root is logged | interval
Enabled checks fail | error | - | ca/service/certificate-service.test.ts | bytes that are not a request are rejected and counted | counts
`);

/** Section 8: limits that no flag or variable has. Those of flags and variables are in their lists. */
export const CLIENT_LIMITS = rowsOf(`
statsUpdateInterval | limit | 10s | policy/client/policy-client.test.ts | statsUpdateInterval: counters are published every 10 s unless given, and when the client closes
reportInterval | limit | 10s | policy/client/tcp-client-config.test.ts | reportInterval: a long connection is reported every 10 s unless given, and not below every second
reportBatchMaxEntries | limit | 0 | policy/client/report-batch.test.ts | reportBatchMaxEntries: 0 and no value mean 100 reports per call
reportBatchMaxTime | limit | 0 | policy/client/report-batch.test.ts | reportBatchMaxTime: 0 and no value mean 1000 ms after the first report of the batch
`);

/** Section 9: versions. */
export const VERSIONS = rowsOf(`
config v1alpha2 | version | - | config/kinds.test.ts | the result of an unknown version lists the supported versions | apiVersion
version prints build information | version | - | cli/run.test.ts | version has the same content as JSON and as YAML, and YAML ends with an empty line | version
mesh_build | version | - | bootstrap/metrics.test.ts | both HTTP listeners serve the same pages
`);
