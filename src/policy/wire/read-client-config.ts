import type { AttributesSpec } from '../../config/policy/attributes.js';
import type { BoundHttpApiSpec, BoundQuotaSpec } from '../../config/policy/bound-specs.js';
import type { HttpClientConfig, ServiceConfig, TcpClientConfig } from '../../config/policy/client-config.js';
import type { ApiKeySpec, HttpApiSpecPattern } from '../../config/policy/http-api-spec.js';
import type { AttributeMatchSpec } from '../../config/policy/quota-spec.js';
import type { NetworkFailPolicy, TransportConfig } from '../../config/policy/transport-config.js';
import type { Duration__Output } from '../../generated/policy/google/protobuf/Duration.js';
import type { Attributes__Output } from '../../generated/policy/mesh/policy/v1/Attributes.js';
import type { HTTPAPISpec__Output } from '../../generated/policy/mesh/policy/v1/HTTPAPISpec.js';
import type { HttpClientConfig__Output } from '../../generated/policy/mesh/policy/v1/HttpClientConfig.js';
import type { NetworkFailPolicy__Output } from '../../generated/policy/mesh/policy/v1/NetworkFailPolicy.js';
import type { QuotaSpec__Output } from '../../generated/policy/mesh/policy/v1/QuotaSpec.js';
import type { ServiceConfig__Output } from '../../generated/policy/mesh/policy/v1/ServiceConfig.js';
import type { TcpClientConfig__Output } from '../../generated/policy/mesh/policy/v1/TcpClientConfig.js';
import type { TransportConfig__Output } from '../../generated/policy/mesh/policy/v1/TransportConfig.js';
import type { WorkloadLabels__Output } from '../../generated/policy/mesh/policy/v1/WorkloadLabels.js';
import { attributesSpecOf, readAttributesMessage } from './attributes-message.js';
import { PolicyWireError } from './policy-wire-error.js';
import { configDurationText, durationText, nanosecondsOf } from './wire-time.js';

/**
 * Client configurations from messages of `mesh.policy.v1`. Missing fields have the defaults of their schema.
 *
 * @throws PolicyWireError for invalid values
 */
export function readHttpClientConfig(message: HttpClientConfig__Output): HttpClientConfig {
  return {
    ...(message.transport && { transport: readTransport(message.transport) }),
    serviceConfigs: mapValues(message.serviceConfigs, (config, service) =>
      readServiceConfig(config, `serviceConfigs[${JSON.stringify(service)}].`),
    ),
    ...(message.defaultDestinationService && { defaultDestinationService: message.defaultDestinationService }),
    ...attributeField('mixerAttributes', message.mixerAttributes),
    ...attributeField('forwardAttributes', message.forwardAttributes),
    ignoreForwardedAttributes: message.ignoreForwardedAttributes ?? false,
    ...(message.countsFastQuotas && { countsFastQuotas: true }),
  };
}

export function readTcpClientConfig(message: TcpClientConfig__Output): TcpClientConfig {
  return {
    ...(message.transport && { transport: readTransport(message.transport) }),
    ...attributeField('mixerAttributes', message.mixerAttributes),
    disableCheckCalls: message.disableCheckCalls ?? false,
    disableReportCalls: message.disableReportCalls ?? false,
    ...(message.connectionQuotaSpec && { connectionQuotaSpec: readQuotaSpec(message.connectionQuotaSpec) }),
    reportInterval: readDuration(message.reportInterval, 'reportInterval', '10s'),
  };
}

/** @param path of the message in another, with a dot at its end */
export function readServiceConfig(message: ServiceConfig__Output, path = ''): ServiceConfig {
  return {
    disableCheckCalls: message.disableCheckCalls ?? false,
    disableReportCalls: message.disableReportCalls ?? false,
    ...attributeField('mixerAttributes', message.mixerAttributes, path),
    httpApiSpec: (message.httpApiSpec ?? []).map((spec, index) =>
      readHttpApiSpec(spec, `${path}httpApiSpec[${index}].`),
    ),
    quotaSpec: (message.quotaSpec ?? []).map(readQuotaSpec),
    ...(message.plans && message.plans.length > 0 && { plans: message.plans }),
    ...(message.networkFailPolicy && {
      networkFailPolicy: readFailPolicy(message.networkFailPolicy, `${path}networkFailPolicy`),
    }),
    ...attributeField('forwardAttributes', message.forwardAttributes, path),
  };
}

function readTransport(message: TransportConfig__Output): TransportConfig {
  return {
    disableCheckCache: message.disableCheckCache ?? false,
    disableQuotaCache: message.disableQuotaCache ?? false,
    disableReportBatch: message.disableReportBatch ?? false,
    networkFailPolicy: readFailPolicy(message.networkFailPolicy ?? {}, 'transport.networkFailPolicy'),
    statsUpdateInterval: readDuration(message.statsUpdateInterval, 'transport.statsUpdateInterval', '10s'),
    checkCluster: message.checkCluster || 'policy_server',
    reportCluster: message.reportCluster || 'policy_server',
    ...attributeField('attributesForMixerProxy', message.attributesForMixerProxy, 'transport.'),
    reportBatchMaxEntries: message.reportBatchMaxEntries ?? 0,
    reportBatchMaxTime: readDuration(message.reportBatchMaxTime, 'transport.reportBatchMaxTime', '0s'),
  };
}

function readFailPolicy(message: NetworkFailPolicy__Output, field: string): NetworkFailPolicy {
  const { policy = 'FAIL_OPEN' } = message;
  // A number is a policy that this version does not know: an error is better than a wrong decision.
  if (typeof policy !== 'string') {
    throw new PolicyWireError(`${field}.policy`, `is ${policy}, which this version does not know: update this side`);
  }
  return {
    policy,
    maxRetry: message.maxRetry ?? 0,
    baseRetryWait: readDuration(message.baseRetryWait, `${field}.baseRetryWait`, '80ms'),
    maxRetryWait: readDuration(message.maxRetryWait, `${field}.maxRetryWait`, '1s'),
  };
}

function readHttpApiSpec(message: HTTPAPISpec__Output, path: string): BoundHttpApiSpec {
  const { attributes, patterns, apiKeys, workloads } = message;
  return {
    ...attributeField('attributes', attributes, path),
    patterns: (patterns ?? []).map(
      ({ attributes: ofPattern, httpMethod, ...pattern }, index): HttpApiSpecPattern => ({
        ...attributeField('attributes', ofPattern, `${path}patterns[${index}].`),
        ...(httpMethod ? { httpMethod } : {}),
        ...pattern,
      }),
    ),
    apiKeys: (apiKeys ?? []) as ApiKeySpec[],
    ...workloadsField(workloads),
  };
}

function readQuotaSpec({ rules, enforcement, rateLimitHeaders, refund, dryRun }: QuotaSpec__Output): BoundQuotaSpec {
  return {
    ...(enforcement === 'fast' && { enforcement }),
    ...(rateLimitHeaders && { rateLimitHeaders }),
    ...(refund && { refund: { responseCodes: refund.responseCodes ?? [] } }),
    ...(dryRun && { dryRun }),
    rules: (rules ?? []).map(({ match, quotas, workloads }) => ({
      match: (match ?? []).map(({ clause }): AttributeMatchSpec => ({ clause: clause ?? {} })),
      quotas: (quotas ?? []).map(({ quota, charge = 1 }) => ({ ...(quota ? { quota } : {}), charge })),
      ...workloadsField(workloads),
    })),
  };
}

/** An empty repeated field is missing in the message. */
function workloadsField(workloads: readonly WorkloadLabels__Output[] | undefined): Pick<BoundHttpApiSpec, 'workloads'> {
  if (!workloads?.length) return {};
  return { workloads: workloads.map(({ labels }) => ({ labels: labels ?? {} })) };
}

function readDuration(message: Duration__Output | undefined, field: string, missing: string): string {
  if (!message) return missing;
  const nanoseconds = nanosecondsOf(message);
  if (nanoseconds < 0n) throw new PolicyWireError(field, `is ${durationText(nanoseconds)}: write 0s or more`);
  return configDurationText(nanoseconds, field);
}

function attributeField<Name extends string>(
  name: Name,
  message: Attributes__Output | undefined,
  path = '',
): Partial<Record<Name, AttributesSpec>> {
  if (!message) return {};
  const field: Partial<Record<Name, AttributesSpec>> = {};
  field[name] = attributesSpecOf(readAttributesMessage(message), `${path}${name}`);
  return field;
}

function mapValues<In, Out>(
  map: Readonly<Record<string, In>> | undefined,
  convert: (value: In, key: string) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(map ?? {}).map(([key, value]) => [key, convert(value, key)]));
}
