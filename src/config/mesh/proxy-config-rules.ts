import { parseDuration } from '../parse-duration.js';
import type { Violation } from '../violation.js';
import { validateAddress, validateDuration } from './field-rules.js';
import type { ProxyConfigFile } from './proxy-config-schema.js';

/** Rules of a ProxyConfig that its schema cannot express. @param prefix of paths: `defaultConfig.`, or nothing */
export function validateProxyConfig(file: ProxyConfigFile, prefix: string): readonly Violation[] {
  return [
    ...validateDurations(file, prefix),
    ...validateAddress(`${prefix}discoveryAddress`, file.discoveryAddress),
    ...validateAddress(`${prefix}tracing.zipkin.address`, file.tracing.zipkin.address),
  ];
}

function validateDurations(file: ProxyConfigFile, prefix: string): readonly Violation[] {
  const violations = [
    ...validateDuration(`${prefix}drainDuration`, file.drainDuration, 1),
    ...validateDuration(`${prefix}parentShutdownDuration`, file.parentShutdownDuration, 1),
    ...validateDuration(`${prefix}terminationDrainDuration`, file.terminationDrainDuration, 0),
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
