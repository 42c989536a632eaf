import { parseDuration } from '../../base/parse-duration.js';
import { isRecord } from '../../base/record.js';
import { validateDuration } from '../duration-rules.js';
import { formatDuration } from '../format-duration.js';
import { isHostAndPort } from '../primitives.js';
import type { SchemaCompiler } from '../schema/schema-reader.js';
import type { SettingsResult } from '../settings-reader.js';
import type { Violation } from '../violation.js';
import type { ProxyConfig } from './mesh-config.js';
import { type ProxyConfigFile, proxyConfigSchema } from './proxy-config-schema.js';

/**
 * Overrides fields of a mesh's `defaultConfig` with those of parsed content
 * (docs/reference/webhooks.md#validated-annotations, `proxy.D/config`).
 */
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

/** @param file with valid durations */
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

/** The inverse of translateProxyConfig. */
function fileOf(config: ProxyConfig): Readonly<Record<string, unknown>> {
  const { drainDurationMs, parentShutdownDurationMs, terminationDrainDurationMs, tracingAddress, ...others } = config;
  return {
    ...others,
    drainDuration: formatMilliseconds(drainDurationMs),
    parentShutdownDuration: formatMilliseconds(parentShutdownDurationMs),
    terminationDrainDuration: formatMilliseconds(terminationDrainDurationMs),
    tracing: { zipkin: { address: tracingAddress } },
  };
}

/** @param milliseconds a whole number, as `validateProxyConfig` demands */
function formatMilliseconds(milliseconds: number): string {
  return formatDuration(BigInt(milliseconds) * 1_000_000n);
}

function withoutNulls(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

/** Rules of a ProxyConfig that its schema cannot express. @param prefix of paths: `defaultConfig.`, or empty */
export function validateProxyConfig(file: ProxyConfigFile, prefix: string): readonly Violation[] {
  return [
    ...validateDurations(file, prefix),
    ...validateAddress(`${prefix}discoveryAddress`, file.discoveryAddress),
    ...validateAddress(`${prefix}tracing.zipkin.address`, file.tracing.zipkin.address),
  ];
}

function validateDurations(file: ProxyConfigFile, prefix: string): readonly Violation[] {
  const violations = [
    ...validateDuration(`${prefix}drainDuration`, file.drainDuration),
    ...validateDuration(`${prefix}parentShutdownDuration`, file.parentShutdownDuration),
    ...validateDuration(`${prefix}terminationDrainDuration`, file.terminationDrainDuration, { zero: 'allowed' }),
  ];
  if (violations.length > 0) return violations;
  if (parseDuration(file.parentShutdownDuration) > parseDuration(file.drainDuration)) return [];
  return [
    {
      path: `${prefix}parentShutdownDuration`,
      value: file.parentShutdownDuration,
      message: `is not longer than drainDuration (${file.drainDuration})`,
      remedy: 'make it longer, so that draining can end',
    },
  ];
}

/** Checks that a value is `host:port` or empty. */
export function validateAddress(path: string, value: string, remedy = 'use host:port'): readonly Violation[] {
  if (value === '' || isHostAndPort(value)) return [];
  return [{ path, value, message: 'is not an address', remedy }];
}
