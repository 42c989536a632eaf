import { isRecord } from '../../base/record.js';
import { formatDuration } from '../format-duration.js';
import { parseDuration } from '../parse-duration.js';
import type { SchemaCompiler } from '../schema/schema-reader.js';
import type { SettingsResult } from '../settings-reader.js';
import type { ProxyConfig } from './mesh-config.js';
import { validateProxyConfig } from './proxy-config-rules.js';
import { type ProxyConfigFile, proxyConfigSchema } from './proxy-config-schema.js';

/** Puts the fields that parsed content has over those of a mesh's `defaultConfig` (BEHAVIOUR 3, `proxy.D/config`). */
export type ProxyConfigMerger = (base: ProxyConfig, content: unknown) => SettingsResult<ProxyConfig>;

export function createProxyConfigMerger(compiler: SchemaCompiler): ProxyConfigMerger {
  const reader = compiler.compile(proxyConfigSchema, 'reported');
  return (base, content) => {
    const given = content ?? {};
    const result = reader.read(isRecord(given) ? { ...fileOf(base), ...withoutNulls(given) } : given);
    if (result.type === 'invalid') return { type: 'invalid', violations: result.violations };
    const violations = validateProxyConfig(result.value, '');
    if (violations.length > 0) return { type: 'invalid', violations };
    return { type: 'valid', value: translateProxyConfig(result.value), warnings: result.unknownFields };
  };
}

/** The ProxyConfig of a file whose durations are known to be in order. */
export function translateProxyConfig(file: ProxyConfigFile): ProxyConfig {
  return {
    configPath: file.configPath,
    serviceCluster: file.serviceCluster,
    drainDurationMs: parseDuration(file.drainDuration),
    parentShutdownDurationMs: parseDuration(file.parentShutdownDuration),
    terminationDrainDurationMs: parseDuration(file.terminationDrainDuration),
    proxyAdminPort: file.proxyAdminPort,
    concurrency: file.concurrency,
    controlPlaneAuthPolicy: file.controlPlaneAuthPolicy,
    discoveryAddress: file.discoveryAddress,
    tracingAddress: file.tracing.zipkin.address,
    statNameLength: file.statNameLength,
    statusPort: file.statusPort,
  };
}

/** The counterpart of translateProxyConfig. */
function fileOf(config: ProxyConfig): Readonly<Record<string, unknown>> {
  const { drainDurationMs, parentShutdownDurationMs, terminationDrainDurationMs, tracingAddress, ...others } = config;
  return {
    ...others,
    drainDuration: durationText(drainDurationMs),
    parentShutdownDuration: durationText(parentShutdownDurationMs),
    terminationDrainDuration: durationText(terminationDrainDurationMs),
    tracing: { zipkin: { address: tracingAddress } },
  };
}

/** They are whole milliseconds: proxy-config-rules.ts. */
function durationText(milliseconds: number): string {
  return formatDuration(BigInt(milliseconds) * 1_000_000n);
}

function withoutNulls(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}
