import { validateDuration } from '../duration-rules.js';
import { childPath, type Violation } from '../violation.js';
import { validateAttributes } from './attribute-rules.js';
import type { HttpClientConfig, ServiceConfig, TcpClientConfig } from './client-config.js';
import { httpApiSpecViolations } from './http-api-spec-rules.js';
import { firstViolations } from './limits.js';
import { createObjectRegexes, type ObjectRegexes } from './object-regexes.js';
import { quotaSpecViolations } from './quota-spec-rules.js';
import type { NetworkFailPolicy, TransportConfig } from './transport-config.js';

/**
 * Rules of an HttpClientConfig and its parts that the schema cannot express
 * (docs/reference/policy-client.md#httpclientconfig).
 */
export function validateHttpClientConfig(config: HttpClientConfig): readonly Violation[] {
  return firstViolations(httpViolations(config));
}

/** Rules of a TcpClientConfig that its schema cannot express (docs/reference/policy-client.md#tcpclientconfig). */
export function validateTcpClientConfig(config: TcpClientConfig): readonly Violation[] {
  return firstViolations(tcpViolations(config));
}

/** Rules of a ServiceConfig that its schema cannot express (docs/reference/policy-client.md#serviceconfig). */
export function validateServiceConfig(config: ServiceConfig): readonly Violation[] {
  return firstViolations(serviceViolations(config, '', createObjectRegexes()));
}

function* httpViolations(config: HttpClientConfig): Iterable<Violation> {
  const regexes = createObjectRegexes();
  yield* transportViolations(config.transport);
  yield* validateAttributes(config.mixerAttributes, 'mixerAttributes');
  yield* validateAttributes(config.forwardAttributes, 'forwardAttributes');
  for (const [service, each] of Object.entries(config.serviceConfigs)) {
    yield* serviceViolations(each, childPath('serviceConfigs', service), regexes);
  }
}

function* tcpViolations(config: TcpClientConfig): Iterable<Violation> {
  yield* transportViolations(config.transport);
  yield* validateAttributes(config.mixerAttributes, 'mixerAttributes');
  yield* validateDuration('reportInterval', config.reportInterval, { zero: 'allowed' });
  if (config.connectionQuotaSpec === undefined) return;
  yield* quotaSpecViolations(config.connectionQuotaSpec, 'connectionQuotaSpec', createObjectRegexes());
}

function* serviceViolations(config: ServiceConfig, path: string, regexes: ObjectRegexes): Iterable<Violation> {
  yield* validateAttributes(config.mixerAttributes, childPath(path, 'mixerAttributes'));
  yield* validateAttributes(config.forwardAttributes, childPath(path, 'forwardAttributes'));
  yield* failPolicyViolations(config.networkFailPolicy, childPath(path, 'networkFailPolicy'));
  for (const [index, spec] of config.httpApiSpec.entries()) {
    yield* httpApiSpecViolations(spec, childPath(childPath(path, 'httpApiSpec'), index), regexes);
  }
  for (const [index, spec] of config.quotaSpec.entries()) {
    yield* quotaSpecViolations(spec, childPath(childPath(path, 'quotaSpec'), index), regexes);
  }
}

function* transportViolations(transport: TransportConfig | undefined): Iterable<Violation> {
  if (transport === undefined) return;
  yield* failPolicyViolations(transport.networkFailPolicy, 'transport.networkFailPolicy');
  yield* validateAttributes(transport.attributesForMixerProxy, 'transport.attributesForMixerProxy');
  yield* validateDuration('transport.statsUpdateInterval', transport.statsUpdateInterval);
  yield* validateDuration('transport.reportBatchMaxTime', transport.reportBatchMaxTime, { zero: 'allowed' });
}

function* failPolicyViolations(policy: NetworkFailPolicy | undefined, path: string): Iterable<Violation> {
  yield* validateDuration(`${path}.baseRetryWait`, policy?.baseRetryWait);
  yield* validateDuration(`${path}.maxRetryWait`, policy?.maxRetryWait);
}
