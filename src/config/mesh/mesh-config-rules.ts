import { validateExportTo } from '../networking/export-to.js';
import { DurationSyntaxError, parseDuration } from '../parse-duration.js';
import { isDnsLabel, isFqdn, isHost, isHostAndPort } from '../primitives.js';
import type { Violation } from '../violation.js';
import { validateAccessLogFormat } from './access-log-format.js';
import type { MeshConfigFile } from './mesh-config-schema.js';

/** Rules of the mesh config that its schema cannot express. */
export function validateMeshConfig(file: MeshConfigFile): readonly Violation[] {
  return [
    ...validateDurations(file),
    ...validateAddresses(file),
    ...validateNames(file),
    ...validateHosts(file),
    ...validateAccessLogFormat(file.accessLogFormat, file.accessLogEncoding),
  ];
}

function validateDurations(file: MeshConfigFile): readonly Violation[] {
  const { defaultConfig } = file;
  const violations = [
    ...validateDuration('connectTimeout', file.connectTimeout, 1),
    ...validateDuration('protocolDetectionTimeout', file.protocolDetectionTimeout, 0),
    ...validateDuration('dnsRefreshRate', file.dnsRefreshRate, 1),
    ...validateDuration('reportBatchMaxTime', file.reportBatchMaxTime, 1),
    ...validateDuration('defaultConfig.drainDuration', defaultConfig.drainDuration, 1),
    ...validateDuration('defaultConfig.parentShutdownDuration', defaultConfig.parentShutdownDuration, 1),
    ...validateDuration('defaultConfig.terminationDrainDuration', defaultConfig.terminationDrainDuration, 0),
  ];
  if (violations.length > 0) return violations;
  if (parseDuration(defaultConfig.parentShutdownDuration) > parseDuration(defaultConfig.drainDuration)) return [];
  return [
    {
      path: 'defaultConfig.parentShutdownDuration',
      value: defaultConfig.parentShutdownDuration,
      message: `is not longer than drainDuration (${defaultConfig.drainDuration})`,
      remedy: 'make it longer, so that draining can end',
    },
  ];
}

/** A duration of whole milliseconds: none at all where `minimumMs` is 0, else at least that. */
function validateDuration(path: string, value: string, minimumMs: number): readonly Violation[] {
  const remedy = 'use for example 300ms, 1.5s or 10m';
  try {
    const milliseconds = parseDuration(value);
    if (milliseconds < minimumMs) return [{ path, value, message: `is below ${minimumMs}ms`, remedy }];
    if (!Number.isInteger(milliseconds)) {
      return [{ path, value, message: 'is finer than a millisecond', remedy: 'round it to milliseconds' }];
    }
    return [];
  } catch (error) {
    if (error instanceof DurationSyntaxError) return [{ path, value, message: 'is not a duration', remedy }];
    throw error;
  }
}

function validateAddresses(file: MeshConfigFile): readonly Violation[] {
  const { defaultConfig } = file;
  const policyServers = (['mixerCheckServer', 'mixerReportServer'] as const).flatMap((path) =>
    file[path] === 'embedded'
      ? []
      : validateAddress(path, file[path], 'use host:port, or embedded for the one in this process'),
  );
  return [
    ...policyServers,
    ...validateAddress('defaultConfig.discoveryAddress', defaultConfig.discoveryAddress),
    ...validateAddress('defaultConfig.tracing.zipkin.address', defaultConfig.tracing.zipkin.address),
  ];
}

function validateAddress(path: string, value: string, remedy = 'use host:port'): readonly Violation[] {
  if (value === '' || isHostAndPort(value)) return [];
  return [{ path, value, message: 'is not an address', remedy }];
}

function validateNames(file: MeshConfigFile): readonly Violation[] {
  const trustDomains = [
    ['trustDomain', file.trustDomain] as const,
    ...file.trustDomainAliases.map((alias, index) => [`trustDomainAliases[${index}]`, alias] as const),
  ];
  const violations: Violation[] = trustDomains
    .filter(([, value]) => !isFqdn(value))
    .map(([path, value]) => ({ path, value, message: 'is not a trust domain', remedy: 'use a DNS name' }));
  if (!isDnsLabel(file.rootNamespace)) {
    violations.push({
      path: 'rootNamespace',
      value: file.rootNamespace,
      message: 'is not a namespace',
      remedy: 'use the name of one, at most 63 letters, digits and hyphens',
    });
  }
  return violations;
}

function validateHosts(file: MeshConfigFile): readonly Violation[] {
  const exports = (
    ['defaultServiceExportTo', 'defaultVirtualServiceExportTo', 'defaultDestinationRuleExportTo'] as const
  ).flatMap((field) => validateExportTo(file[field], field));
  const hosts = file.serviceSettings.flatMap((setting, index) =>
    [...setting.hosts.entries()]
      .filter(([, host]) => !isHost(host))
      .map(([at, value]) => ({
        path: `serviceSettings[${index}].hosts[${at}]`,
        value,
        message: 'is not a host',
        remedy: 'use a DNS name, whose first label may be *',
      })),
  );
  return [...exports, ...hosts];
}
