import { parseDuration } from '../../base/parse-duration.js';
import { isRecord } from '../../base/record.js';
import { createBodyCopier } from '../schema/body-copier.js';
import type { SchemaCompiler } from '../schema/schema-reader.js';
import type { SettingsReader } from '../settings-reader.js';
import type { Violation } from '../violation.js';
import type { MeshConfig } from './mesh-config.js';
import { validateMeshConfig } from './mesh-config-rules.js';
import { type MeshConfigFile, meshConfigSchema, UNUSED_MESH_CONFIG_FIELDS } from './mesh-config-schema.js';
import { translateProxyConfig } from './proxy-config.js';

/**
 * A shorter interval counts as this one (docs/reference/policy-client.md#tcpclientconfig,
 * docs/reference/errors.md#failures).
 */
const MIN_INTERVAL_MS = 1000;

/** Makes the reader of the mesh config file (docs/reference/mesh-config.md#defaults). */
export function createMeshConfigReader(compiler: SchemaCompiler): SettingsReader<MeshConfig> {
  const reader = compiler.compile(meshConfigSchema, 'reported');
  return (content) => {
    const result = reader.read(content ?? {});
    if (result.type === 'invalid') return { type: 'invalid', violations: result.violations };
    const violations = validateMeshConfig(result.value);
    if (violations.length > 0) return { type: 'invalid', violations };
    const warnings = [...result.unknownFields, ...unusedFields(content)];
    return { type: 'valid', value: translateMeshConfig(result.value), warnings };
  };
}

/** The mesh config of a mesh without a mesh config file. */
export function createDefaultMeshConfig(): MeshConfig {
  return translateMeshConfig(createBodyCopier(meshConfigSchema)({}, () => {}) as MeshConfigFile);
}

/** @param content as written, without defaults */
function unusedFields(content: unknown): readonly Violation[] {
  return UNUSED_MESH_CONFIG_FIELDS.filter((path) => hasField(content, path.split('.'))).map((field) => ({
    path: field,
    message: 'has no effect in this version',
    remedy: 'remove it',
  }));
}

function hasField(content: unknown, [name = '', ...inner]: readonly string[]): boolean {
  if (!isRecord(content) || !Object.hasOwn(content, name)) return false;
  return inner.length === 0 || hasField(content[name], inner);
}

function translateMeshConfig(file: MeshConfigFile): MeshConfig {
  return {
    proxyListenPort: file.proxyListenPort,
    proxyHttpPort: file.proxyHttpPort,
    connectTimeoutMs: parseDuration(file.connectTimeout),
    protocolDetectionTimeoutMs: parseDuration(file.protocolDetectionTimeout),
    ingressClass: file.ingressClass,
    ingressService: file.ingressService,
    ingressControllerMode: file.ingressControllerMode,
    ingressSelector: file.ingressSelector,
    enableTracing: file.enableTracing,
    accessLogFile: file.accessLogFile,
    accessLogFormat: file.accessLogFormat,
    accessLogEncoding: file.accessLogEncoding,
    outboundTrafficPolicy: file.outboundTrafficPolicy.mode,
    enableAutoMtls: file.enableAutoMtls,
    onDemand: file.onDemand,
    trustDomain: file.trustDomain,
    trustDomainAliases: file.trustDomainAliases,
    rootNamespace: file.rootNamespace,
    serviceEntryScope: file.serviceEntryScope,
    virtualServiceScope: file.virtualServiceScope,
    defaultServiceExportTo: file.defaultServiceExportTo,
    defaultVirtualServiceExportTo: file.defaultVirtualServiceExportTo,
    defaultDestinationRuleExportTo: file.defaultDestinationRuleExportTo,
    dnsRefreshRateMs: parseDuration(file.dnsRefreshRate),
    localityLb: file.localityLbSetting,
    enablePrometheusMerge: file.enablePrometheusMerge,
    h2UpgradePolicy: file.h2UpgradePolicy,
    inboundClusterStatName: file.inboundClusterStatName,
    outboundClusterStatName: file.outboundClusterStatName,
    clusterLocalHosts: clusterLocalHostsOf(file),
    policy: {
      mixerCheckServer: file.mixerCheckServer,
      mixerReportServer: file.mixerReportServer,
      disablePolicyChecks: file.disablePolicyChecks,
      policyCheckFailOpen: file.policyCheckFailOpen,
      disableMixerHttpReports: file.disableMixerHttpReports,
      enableClientSidePolicyCheck: file.enableClientSidePolicyCheck,
      sidecarToTelemetrySessionAffinity: file.sidecarToTelemetrySessionAffinity,
      policyCheckProtocol: file.policyCheckProtocol,
      policyBindingScope: file.policyBindingScope,
      reportBatchMaxEntries: file.reportBatchMaxEntries,
      reportBatchMaxTimeMs: parseDuration(file.reportBatchMaxTime),
      reportIntervalMs: Math.max(parseDuration(file.reportInterval), MIN_INTERVAL_MS),
      statsUpdateIntervalMs: Math.max(parseDuration(file.statsUpdateInterval), MIN_INTERVAL_MS),
    },
    defaultConfig: translateProxyConfig(file.defaultConfig),
  };
}

/** Hosts with the setting clusterLocal. A later setting of the same host replaces an earlier one. */
function clusterLocalHostsOf(file: MeshConfigFile): readonly string[] {
  const hosts = new Set<string>();
  for (const { settings, hosts: named } of file.serviceSettings) {
    for (const host of named) {
      if (settings.clusterLocal) hosts.add(host);
      else hosts.delete(host);
    }
  }
  return [...hosts].sort();
}
