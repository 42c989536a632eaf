import { rowsOf } from './surface-row.js';

/** Section 4.4: flags of `discovery`. A type with a letter has that shorthand. */
export const DISCOVERY_FLAGS = rowsOf(`
appNamespace | string a | - | bootstrap/variable-effects.test.ts | changes what proxies get
caCertFile | string | - | ca/server-certificate/create-server-certificate.test.ts | three flags take precedence over any provider
clusterID | string | Orchestrator | cli/parse-options.test.ts | the cluster ID is that of --clusterID, else of CLUSTER_ID
clusterRegistriesNamespace | string | mesh-system | bootstrap/read-clusters.test.ts | the secrets that register clusters are those of one namespace with the label | mesh-system
configDir | string | - | bootstrap/serving.test.ts | a change in a file is followed from the file to the acknowledgement | folder.write
catalogserverURL | string | - | -
domain | string | cluster.local | bootstrap/variable-effects.test.ts | changes what proxies get
grpcAddr | string | :15010 | cli/parse-options.test.ts | an empty --grpcAddr closes the plaintext listener
httpAddr | string | :8080 | bootstrap/lifecycle.test.ts | a port in use ends the process with 1 and one line that names the address and the flag
httpsAddr | string | :15017 | bootstrap/webhooks.test.ts | a server with the rights of manifests/ has the API server ask it about objects, and warns of missing ones | https
orchconfig | string | - | bootstrap/kubernetes.test.ts | the server beside a cluster serves its services to proxies, and writes the status of its objects
mcpInitialConnWindowSize | int | 1048576 | -
mcpInitialWindowSize | int | 1048576 | -
mcpMaxMsgSize | int | 4194304 | -
meshConfig | string | ./etc/mesh/config/mesh | bootstrap/serving.test.ts | mesh config is reloaded, and a bad one is reported and ignored
monitoringAddr | string | :15014 | bootstrap/metrics.test.ts | both HTTP listeners serve the same pages | monitoring
namespace | string n | mesh-system | cli/parse-options.test.ts | the namespace is that of --namespace, else of POD_NAMESPACE, else mesh-system
networksConfig | string | /etc/mesh/config/meshNetworks | bootstrap/serving.test.ts | mesh networks are reloaded: endpoints of another network become its gateway | networksFile
plugins | strings | authn,authz,health,policy | bootstrap/policy-configs.test.ts | without the plugin no proxy is served client configurations, and policyz says so
profile | bool | false | introspection/topics.test.ts | go tool pprof opens the profiles, and one profile is made at a time
registries | strings | Orchestrator | bootstrap/settings.test.ts | --registries Mock serves without a folder and without a cluster
resync | duration | 1m0s | sources/kubernetes/cluster/changes.test.ts | a resync hands everything over again, as updates of nothing
secureGRPCAddr | string | :15012 | bootstrap/policy-identity.test.ts | the account navigator-policy is served the policies of all namespaces over TLS | secureGrpc
tlsCertFile | string | - | ca/server-certificate/create-server-certificate.test.ts | three flags take precedence over any provider
tlsKeyFile | string | - | ca/server-certificate/create-server-certificate.test.ts | three flags take precedence over any provider
trust-domain | string | - | generators/listeners/inbound/inbound-mutual-tls.test.ts | --trust-domain stands over that of the mesh config; NAV_SKIP_VALIDATE_TRUST_DOMAIN takes any
`);

/** Section 4.5: flags of every command. */
export const COMMON_FLAGS = rowsOf(`
introspect_address | string | localhost | introspection/topics.test.ts | --introspect_address and --introspect_port decide where the facility listens, and a port in use is only logged
introspect_port | uint16 | 9876 | introspection/topics.test.ts | --introspect_address and --introspect_port decide where the facility listens, and a port in use is only logged
keepaliveInterval | duration | 30s | bootstrap/settings.test.ts | a peer that answers no pings is let go after --keepaliveInterval and --keepaliveTimeout
keepaliveMaxServerConnectionAge | duration | 2562047h47m16.854775807s | bootstrap/settings.test.ts | --keepaliveMaxServerConnectionAge asks proxies to reconnect, and they keep their configuration
keepaliveTimeout | duration | 10s | bootstrap/settings.test.ts | a peer that answers no pings is let go after --keepaliveInterval and --keepaliveTimeout
log_as_json | bool | false | telemetry/logging.test.ts | a JSON line is one object with the same content | logAsJson
log_caller | string | - | telemetry/logging.test.ts | lines of the selected scopes name the file and line of the caller | logCaller
log_output_level | string | default:info | telemetry/logging.test.ts | a scope writes lines of its level and above | logOutputLevel
log_rotate | string | - | telemetry/open-log-sinks.test.ts | lines go to every file and to the rotating file, in order and at once | logRotate
log_rotate_max_age | int | 30 | telemetry/rotating-file.test.ts | the file is rotated when it is older than the limit | maxAge
log_rotate_max_backups | int | 1000 | telemetry/rotating-file.test.ts | only the newest backups are kept | maxBackups
log_rotate_max_size | int | 104857600 | telemetry/open-log-sinks.test.ts | megabytes are of 2^20 bytes | logRotateMaxSizeMegabytes
log_stacktrace_level | string | default:none | telemetry/logging.test.ts | lines from the selected level on have a stack trace: of the error, else of the caller | logStacktraceLevel
log_target | stringArray | stdout | bootstrap/lifecycle.test.ts | every target of --log_target gets every line, and the log is whole when the process ends
`);

/** Section 4.3: flags of `version`. */
export const VERSION_FLAGS = rowsOf(`
output | string o | - | cli/run.test.ts | version has the same content as JSON and as YAML, and YAML ends with an empty line
short | bool s | true | cli/run.test.ts | the full version is version.BuildInfo{…} with five fields
`);
