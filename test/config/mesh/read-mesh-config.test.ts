import test from 'ava';
import { createDefaultMeshConfig, createMeshConfigReader } from '../../../src/config/mesh/read-mesh-config.js';
import { createSchemaCompiler } from '../../../src/config/schema/schema-reader.js';
import { formatFinding } from '../../../src/config/violation.js';
import { createYamlParser } from '../../../src/config/yaml/parse-document.js';

const read = createMeshConfigReader(createSchemaCompiler());
const parse = createYamlParser();

function readYaml(text: string) {
  const parsed = parse(text);
  return read(parsed.type === 'value' ? parsed.value : undefined);
}

function valueOf(text: string) {
  const result = readYaml(text);
  if (result.type !== 'valid') throw new Error(result.violations.map(formatFinding).join('\n'));
  return result.value;
}

test('the defaults are those of the specification', (t) => {
  t.deepEqual(createDefaultMeshConfig(), {
    proxyListenPort: 15001,
    proxyHttpPort: 0,
    connectTimeoutMs: 10_000,
    protocolDetectionTimeoutMs: 5_000,
    ingressClass: 'mesh',
    ingressService: 'mesh-ingressgateway',
    ingressControllerMode: 'STRICT',
    ingressSelector: 'mesh-ingressgateway',
    enableTracing: true,
    accessLogFile: '',
    accessLogFormat: '',
    accessLogEncoding: 'TEXT',
    outboundTrafficPolicy: 'ALLOW_ANY',
    enableAutoMtls: true,
    onDemand: false,
    trustDomain: 'cluster.local',
    trustDomainAliases: [],
    rootNamespace: 'mesh-system',
    serviceEntryScope: 'GUARDED',
    virtualServiceScope: 'GUARDED',
    defaultServiceExportTo: ['*'],
    defaultVirtualServiceExportTo: ['*'],
    defaultDestinationRuleExportTo: ['*'],
    dnsRefreshRateMs: 5_000,
    localityLb: { enabled: true },
    enablePrometheusMerge: true,
    h2UpgradePolicy: 'DO_NOT_UPGRADE',
    inboundClusterStatName: '',
    outboundClusterStatName: '',
    clusterLocalHosts: [],
    policy: {
      mixerCheckServer: '',
      mixerReportServer: '',
      disablePolicyChecks: true,
      policyCheckFailOpen: true,
      disableMixerHttpReports: true,
      enableClientSidePolicyCheck: false,
      sidecarToTelemetrySessionAffinity: false,
      policyCheckProtocol: 'HTTP',
      policyBindingScope: 'GRANTED_NAMESPACES',
      reportBatchMaxEntries: 100,
      reportBatchMaxTimeMs: 1_000,
      reportIntervalMs: 10_000,
      statsUpdateIntervalMs: 10_000,
    },
    defaultConfig: {
      configPath: './etc/mesh/proxy',
      serviceCluster: 'mesh-proxy',
      drainDurationMs: 45_000,
      parentShutdownDurationMs: 60_000,
      terminationDrainDurationMs: 5_000,
      proxyAdminPort: 15_000,
      concurrency: 2,
      controlPlaneAuthPolicy: 'MUTUAL_TLS',
      discoveryAddress: 'meshd.mesh-system.svc:15012',
      tracingAddress: 'zipkin.mesh-system:9411',
      statNameLength: 189,
      statusPort: 15_020,
    },
  });
});

test('an empty file gives all defaults', (t) => {
  t.deepEqual(valueOf(''), createDefaultMeshConfig());
  t.deepEqual(valueOf('defaultConfig:\noutboundTrafficPolicy:\n'), createDefaultMeshConfig());
});

test('a field of the file replaces the default, and defaultConfig is merged', (t) => {
  const defaults = createDefaultMeshConfig();
  t.deepEqual(
    valueOf(`
outboundTrafficPolicy: {mode: REGISTRY_ONLY}
trustDomainAliases: [old.local]
localityLbSetting: {enabled: false}
mixerCheckServer: embedded
reportBatchMaxTime: 1m30s
protocolDetectionTimeout: 0s
defaultConfig:
  concurrency: 4
  tracing: {zipkin: {address: "collector:9411"}}
serviceSettings:
  - {settings: {clusterLocal: true}, hosts: ["*.local.svc.cluster.local", a.shop.svc.cluster.local]}
  - {settings: {clusterLocal: false}, hosts: [a.shop.svc.cluster.local]}
`),
    {
      ...defaults,
      outboundTrafficPolicy: 'REGISTRY_ONLY',
      trustDomainAliases: ['old.local'],
      localityLb: { enabled: false },
      protocolDetectionTimeoutMs: 0,
      clusterLocalHosts: ['*.local.svc.cluster.local'],
      policy: { ...defaults.policy, mixerCheckServer: 'embedded', reportBatchMaxTimeMs: 90_000 },
      defaultConfig: { ...defaults.defaultConfig, concurrency: 4, tracingAddress: 'collector:9411' },
    },
  );
});

test('unknown fields and fields without effect are warnings that name them', (t) => {
  const result = readYaml(
    'mixerCheckSrver: x:1\ndefaultConfig: {concurency: 3, statNameLength: 200}\nthriftConfig: {}\nsomething: else\n',
  );
  t.is(result.type, 'valid');
  const warnings = result.type === 'valid' ? result.warnings.map((each) => formatFinding(each).slice(0, 80)) : [];
  t.deepEqual(warnings, [
    'defaultConfig.concurency: 3: is not a known field; did you mean concurrency?',
    'mixerCheckSrver: "x:1": is not a known field; did you mean mixerCheckServer?',
    'something: "else": is not a known field; known fields here are proxyListenPort, ',
    'defaultConfig.statNameLength: has no effect in this version; remove it',
    'thriftConfig: has no effect in this version; remove it',
  ]);
});

for (const [text, expectedMs] of [
  ['0s', 1000],
  ['999ms', 1000],
  ['1500ms', 1500],
  ['30s', 30_000],
] as const) {
  test(`a reportInterval or statsUpdateInterval of ${text} is ${expectedMs} ms`, (t) => {
    const { policy } = valueOf(`reportInterval: ${text}\nstatsUpdateInterval: ${text}\n`);
    t.is(policy.reportIntervalMs, expectedMs);
    t.is(policy.statsUpdateIntervalMs, expectedMs);
  });
}

const refused: readonly (readonly [string, string])[] = [
  ['[]', '[]: is a list, not an object; write fields as "name: value"'],
  ['connectTimeout: 10', 'connectTimeout: 10: is a number, not a string; put it in quotes'],
  ['connectTimeout: 10 s', 'connectTimeout: "10 s": is not a duration; use for example 500ms, 1.5s or 10m'],
  ['connectTimeout: 0s', 'connectTimeout: "0s": is shorter than 1ms; use for example 500ms, 1.5s or 10m'],
  ['dnsRefreshRate: -1s', 'dnsRefreshRate: "-1s": is shorter than 1ms; use for example 500ms, 1.5s or 10m'],
  ['dnsRefreshRate: 1.5ms', 'dnsRefreshRate: "1.5ms": is finer than a millisecond; round it to milliseconds'],
  [
    'outboundTrafficPolicy: ALLOW_ANY',
    'outboundTrafficPolicy: "ALLOW_ANY": is a string, not an object; write fields as "name: value"',
  ],
  [
    'outboundTrafficPolicy: {mode: NONE}',
    'outboundTrafficPolicy.mode: "NONE": is not one of the allowed values; use ALLOW_ANY, REGISTRY_ONLY',
  ],
  [
    'defaultConfig: {drainDuration: 2m}',
    'defaultConfig.parentShutdownDuration: "60s": is not longer than drainDuration (2m); make it longer, so that draining can end',
  ],
  [
    'mixerReportServer: nowhere',
    'mixerReportServer: "nowhere": is not an address; use host:port, or embedded for the one in this process',
  ],
  ['trustDomain: ""', 'trustDomain: "": is not a trust domain; use a DNS name'],
  [
    'defaultServiceExportTo: ["*", a]',
    'defaultServiceExportTo: a list of 2: names "*" together with other namespaces; keep "*" alone, or list the namespaces',
  ],
  [
    'serviceSettings: [{hosts: ["*"]}]',
    'serviceSettings[0].hosts[0]: "*": is not a host; use a DNS name, whose first label may be *',
  ],
];

for (const [text, expected] of refused) {
  test(`refused: ${text}`, (t) => {
    const result = readYaml(text);
    t.deepEqual(result.type === 'invalid' ? result.violations.map(formatFinding) : [], [expected]);
  });
}
