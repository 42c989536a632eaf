import test from 'ava';
import { load } from 'js-yaml';
import { COMPILED_ADAPTERS } from '../../../src/config/policy-rules/catalogue/compiled-adapters.js';
import { COMPILED_TEMPLATES } from '../../../src/config/policy-rules/catalogue/compiled-templates.js';
import { problemsOf } from './support.js';

/** Specs in the form of public files, one for each adapter and template. */
const HANDLERS: Readonly<Record<string, string>> = {
  memquota: `
    quotas:
    - name: requestcount.instance.mesh-system
      maxAmount: 500
      validDuration: 1s
      overrides:
      - dimensions: { destination: reviews }
        maxAmount: 1
        validDuration: 5s
    minDeduplicationDuration: 2s`,
  redisquota: `
    redisServerUrl: redis.shop:6379
    connectionPoolSize: 10
    quotas:
    - name: requestcount
      maxAmount: 500
      validDuration: 1s
      bucketDuration: 500ms
      rateLimitAlgorithm: ROLLING_WINDOW
      overrides: [{ dimensions: { source: 10.28.11.20 }, maxAmount: 5 }]`,
  denier: `
    status:
      code: 7
      message: Not allowed
      details:
      - "@type": type.googleapis.com/mesh.policy.v1beta1.DirectHttpResponse
        code: MovedPermanently
        body: elsewhere
        headers: { location: https://www.example.com/ }
    valid_duration: 10s
    valid_use_count: 100`,
  listchecker: `
    providerUrl: https://lists.example.com/allowed
    refreshInterval: 30s
    ttl: 90s
    cachingInterval: 10s
    cachingUseCount: 9
    overrides: ["10.57.0.0/16", "172.17.0.1"]
    entryType: IP_ADDRESSES
    blacklist: true`,
  rbac: `{ config_store_url: "k8s://", cacheDuration: 30s }`,
  prometheus: `
    metricsExpirationPolicy: { metricsExpiryDuration: 10m, expiryCheckIntervalDuration: 1m }
    metrics:
    - name: requests_total
      instance_name: requestcount.instance.mesh-system
      kind: COUNTER
      label_names: [reporter, source_app]
    - name: request_duration_seconds
      instance_name: requestduration.instance.mesh-system
      kind: DISTRIBUTION
      label_names: [reporter]
      buckets: { explicit_buckets: { bounds: [0.005, 0.01, 1] } }
    - name: response_bytes
      namespace: shop
      description: Sizes.
      instance_name: responsesize
      kind: DISTRIBUTION
      buckets: { exponentialBuckets: { numFiniteBuckets: 8, scale: 1, growthFactor: 10 } }
    - name: in_flight
      instance_name: inflight
      kind: DISTRIBUTION
      buckets: { linearBuckets: { numFiniteBuckets: 8, width: 10, offset: 1 } }`,
  stdio: `
    outputAsJson: true
    logStream: ROTATED_FILE
    severity_levels: { warning: WARNING }
    metricLevel: INFO
    outputLevel: WARNING
    outputPath: /var/log/mesh
    maxMegabytesBeforeRotation: 10
    maxDaysBeforeRotation: 3
    maxRotatedFiles: 2`,
  otlp: `
    endpoint: http://collector.shop:4318
    headers: { x-tenant: shop }
    protocol: http/json
    timeout: 3s
    resourceAttributes: { service.name: policy }`,
  noop: '{}',
  kubernetesenv: '{ kubeconfig_path: /etc/kubeconfig }',
};

const INSTANCES: Readonly<Record<string, string>> = {
  checknothing: '{}',
  reportnothing: '{}',
  listentry: 'value: request.headers["user"] | "unknown"',
  quota: `
    dimensions:
      source: request.headers["x-forwarded-for"] | "unknown"
      destination: destination.labels["app"] | destination.service.name | "unknown"`,
  apikey: `
    api: api.service | ""
    api_version: api.version | ""
    api_operation: api.operation | ""
    api_key: request.api_key | ""
    timestamp: request.time`,
  authorization: `
    subject:
      user: source.principal | ""
      groups: '"none"'
      properties: { iss: 'request.auth.claims["iss"] | ""' }
    action:
      namespace: destination.namespace | "default"
      service: destination.service.host | ""
      path: request.path | "/"
      method: request.method | "post"
      properties: { version: 'destination.labels["version"] | ""' }`,
  logentry: `
    severity: '"Info"'
    timestamp: request.time
    variables:
      method: request.method | ""
      responseCode: response.code | 0
      latency: response.duration | "0ms"
      mtls: connection.mtls | false
    monitored_resource_type: '"UNSPECIFIED"'
    monitored_resource_dimensions: { project: '"mesh"' }`,
  metric: `
    value: 1
    dimensions:
      reporter: conditional((context.reporter.kind | "inbound") == "outbound", "source", "destination")
      response_code: response.code | 200
    monitored_resource_type: '"UNSPECIFIED"'`,
  tracespan: `
    traceId: request.headers["x-b3-traceid"]
    spanId: request.headers["x-b3-spanid"] | ""
    parentSpanId: request.headers["x-b3-parentspanid"] | ""
    spanName: request.path | "/"
    startTime: request.time
    endTime: response.time
    clientSpan: (context.reporter.kind | "inbound") == "outbound"
    rewriteClientSpanId: false
    sourceName: '"web"'
    sourceIp: source.ip | ip("0.0.0.0")
    destinationName: destination.service.name
    destinationIp: destination.ip | ip("0.0.0.0")
    requestSize: request.size | 0
    requestTotalSize: request.total_size | 0
    responseSize: response.size | 0
    responseTotalSize: response.total_size | 0
    apiProtocol: api.protocol | "http"
    httpStatusCode: response.code | 200
    spanTags: { http.method: request.method | "" }`,
  edge: `
    timestamp: request.time
    sourceUid: source.uid | "Unknown"
    sourceOwner: source.owner | "Unknown"
    sourceWorkloadName: source.workload.name | "Unknown"
    sourceWorkloadNamespace: source.workload.namespace | "Unknown"
    destinationUid: destination.uid | "Unknown"
    destinationOwner: destination.owner | "Unknown"
    destinationWorkloadName: destination.workload.name | "Unknown"
    destinationWorkloadNamespace: destination.workload.namespace | "Unknown"
    destinationServiceName: destination.service.name | "Unknown"
    destinationServiceNamespace: destination.service.namespace | "Unknown"
    apiProtocol: api.protocol | "Unknown"
    contextProtocol: context.protocol | "Unknown"`,
  kubernetes: '{ source_uid: source.uid | "" }',
};

for (const [compiledAdapter, params] of Object.entries(HANDLERS)) {
  test(`a public handler of ${compiledAdapter} is valid`, (t) => {
    t.deepEqual(problemsOf('handler', { compiledAdapter, params: load(params) }), []);
  });
}

for (const [compiledTemplate, params] of Object.entries(INSTANCES)) {
  test(`a public instance of ${compiledTemplate} is valid`, (t) => {
    t.deepEqual(problemsOf('instance', { compiledTemplate, params: load(params) }), []);
  });
}

test('the examples have every adapter and template', (t) => {
  t.deepEqual(Object.keys(HANDLERS).sort(), [...COMPILED_ADAPTERS.keys()].sort());
  t.deepEqual(Object.keys(INSTANCES).sort(), [...COMPILED_TEMPLATES.keys()].sort());
});

/** Attributes that only an attributemanifest can declare are left to analysis. */
const MATCHES: readonly string[] = [
  'context.protocol == "http" || context.protocol == "grpc"',
  '(context.protocol == "http" || context.protocol == "grpc") && (match((request.useragent | "-"), "kube-probe*") == false)',
  'context.protocol == "tcp" && ((connection.event | "na") == "open")',
  'destination.labels["app"] == "ratings" && source.labels["app"]=="reviews" && source.labels["version"] == "v3"',
  'match(request.headers["cookie"], "user=*") == false',
  'request.headers["x-user"].startsWith("a") && request.path.matches("^/api/.*$")',
  'source.workload.namespace == "shop"',
  'true',
  '',
];

for (const match of MATCHES) {
  test(`a public rule matches: ${match}`, (t) => {
    t.deepEqual(problemsOf('rule', { match, actions: [{ handler: 'h', instances: ['i'] }] }), []);
  });
}
