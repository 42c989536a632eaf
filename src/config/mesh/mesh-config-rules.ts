import { validateDuration } from '../duration-rules.js';
import { validateExportTo } from '../networking/export-to.js';
import { validateLocalityLbSetting } from '../networking/locality-lb-setting.js';
import { isDnsLabel, isFqdn, isHost, isLabelValue } from '../primitives.js';
import type { Violation } from '../violation.js';
import { validateAccessLogFormat } from './access-log-format.js';
import type { MeshConfigFile } from './mesh-config-schema.js';
import { validateAddress, validateProxyConfig } from './proxy-config.js';

/** Rules of the mesh config that its schema cannot express. */
export function validateMeshConfig(file: MeshConfigFile): readonly Violation[] {
  return [
    ...validateDurations(file),
    ...validateAddresses(file),
    ...validateProxyConfig(file.defaultConfig, 'defaultConfig.'),
    ...validateNames(file),
    ...validateHosts(file),
    ...validateLocalityLbSetting(file.localityLbSetting, 'localityLbSetting'),
    ...validateAccessLogFormat(file.accessLogFormat, file.accessLogEncoding),
  ];
}

function validateDurations(file: MeshConfigFile): readonly Violation[] {
  return [
    ...validateDuration('connectTimeout', file.connectTimeout),
    ...validateDuration('protocolDetectionTimeout', file.protocolDetectionTimeout, { zero: 'allowed' }),
    ...validateDuration('dnsRefreshRate', file.dnsRefreshRate),
    ...validateDuration('reportBatchMaxTime', file.reportBatchMaxTime, { zero: 'allowed' }),
    ...validateDuration('reportInterval', file.reportInterval, { zero: 'allowed' }),
    ...validateDuration('statsUpdateInterval', file.statsUpdateInterval, { zero: 'allowed' }),
  ];
}

function validateAddresses(file: MeshConfigFile): readonly Violation[] {
  return (['mixerCheckServer', 'mixerReportServer'] as const).flatMap((path) =>
    file[path] === 'embedded'
      ? []
      : validateAddress(path, file[path], 'use host:port, or embedded for the one in this process'),
  );
}

function validateNames(file: MeshConfigFile): readonly Violation[] {
  const trustDomains = [
    ['trustDomain', file.trustDomain] as const,
    ...file.trustDomainAliases.map((alias, index) => [`trustDomainAliases[${index}]`, alias] as const),
  ];
  const violations: Violation[] = trustDomains
    .filter(([, value]) => !isFqdn(value))
    .map(([path, value]) => ({ path, value, message: 'is not a trust domain', remedy: 'use a DNS name' }));
  if (!isLabelValue(file.ingressSelector)) {
    violations.push({
      path: 'ingressSelector',
      value: file.ingressSelector,
      message: 'is not a value of a label',
      remedy: 'use the label app of the gateways, at most 63 letters, digits, hyphens, underscores and dots',
    });
  }
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
