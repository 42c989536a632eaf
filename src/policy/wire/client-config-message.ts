import { parseDurationNs } from '../../base/parse-duration.js';
import type { AttributesSpec } from '../../config/policy/attributes.js';
import type { BoundHttpApiSpec, BoundQuotaSpec } from '../../config/policy/bound-specs.js';
import type { HttpClientConfig, ServiceConfig, TcpClientConfig } from '../../config/policy/client-config.js';
import type { QuotaRuleSpec } from '../../config/policy/quota-spec.js';
import type { NetworkFailPolicy, TransportConfig } from '../../config/policy/transport-config.js';
import type { Attributes__Output } from '../../generated/policy/mesh/policy/v1/Attributes.js';
import type { HTTPAPISpec as HttpApiSpecMessage } from '../../generated/policy/mesh/policy/v1/HTTPAPISpec.js';
import type { HttpClientConfig as HttpClientConfigMessage } from '../../generated/policy/mesh/policy/v1/HttpClientConfig.js';
import type { NetworkFailPolicy as NetworkFailPolicyMessage } from '../../generated/policy/mesh/policy/v1/NetworkFailPolicy.js';
import type { QuotaSpec as QuotaSpecMessage } from '../../generated/policy/mesh/policy/v1/QuotaSpec.js';
import type { ServiceConfig as ServiceConfigMessage } from '../../generated/policy/mesh/policy/v1/ServiceConfig.js';
import type { TcpClientConfig as TcpClientConfigMessage } from '../../generated/policy/mesh/policy/v1/TcpClientConfig.js';
import type { TransportConfig as TransportConfigMessage } from '../../generated/policy/mesh/policy/v1/TransportConfig.js';
import { attributesSpecMessage } from './attributes-message.js';
import { durationMessage } from './wire-time.js';

/**
 * Client configurations as messages of `mesh.policy.v1`. Fields have the names of the YAML. Only durations and
 * attribute values are written differently.
 */
export function httpClientConfigMessage(config: HttpClientConfig): HttpClientConfigMessage {
  const { transport, serviceConfigs, mixerAttributes, forwardAttributes, ...plain } = config;
  return {
    ...plain,
    ...(transport && { transport: transportMessage(transport) }),
    serviceConfigs: mapValues(serviceConfigs, serviceConfigMessage),
    ...attributeFields({ mixerAttributes, forwardAttributes }),
  };
}

export function tcpClientConfigMessage(config: TcpClientConfig): TcpClientConfigMessage {
  const { transport, mixerAttributes, reportInterval, connectionQuotaSpec, ...plain } = config;
  return {
    ...plain,
    ...(transport && { transport: transportMessage(transport) }),
    ...attributeFields({ mixerAttributes }),
    ...(connectionQuotaSpec && { connectionQuotaSpec: quotaSpecMessage(connectionQuotaSpec) }),
    reportInterval: durationMessage(parseDurationNs(reportInterval)),
  };
}

export function serviceConfigMessage(config: ServiceConfig): ServiceConfigMessage {
  const { mixerAttributes, forwardAttributes, httpApiSpec, quotaSpec, networkFailPolicy, plans, ...plain } = config;
  return {
    ...plain,
    ...(plans && { plans: [...plans] }),
    ...attributeFields({ mixerAttributes, forwardAttributes }),
    httpApiSpec: httpApiSpec.map(httpApiSpecMessage),
    quotaSpec: quotaSpec.map(quotaSpecMessage),
    ...(networkFailPolicy && { networkFailPolicy: failPolicyMessage(networkFailPolicy) }),
  };
}

function transportMessage(transport: TransportConfig): TransportConfigMessage {
  const { networkFailPolicy, attributesForMixerProxy, statsUpdateInterval, reportBatchMaxTime, ...plain } = transport;
  return {
    ...plain,
    networkFailPolicy: failPolicyMessage(networkFailPolicy),
    ...attributeFields({ attributesForMixerProxy }),
    statsUpdateInterval: durationMessage(parseDurationNs(statsUpdateInterval)),
    reportBatchMaxTime: durationMessage(parseDurationNs(reportBatchMaxTime)),
  };
}

function failPolicyMessage({ baseRetryWait, maxRetryWait, ...plain }: NetworkFailPolicy): NetworkFailPolicyMessage {
  return {
    ...plain,
    baseRetryWait: durationMessage(parseDurationNs(baseRetryWait)),
    maxRetryWait: durationMessage(parseDurationNs(maxRetryWait)),
  };
}

function httpApiSpecMessage({ attributes, patterns, apiKeys, workloads }: BoundHttpApiSpec): HttpApiSpecMessage {
  return {
    ...attributeFields({ attributes }),
    patterns: patterns.map(({ attributes: ofPattern, ...plain }) => ({
      ...plain,
      ...attributeFields({ attributes: ofPattern }),
    })),
    apiKeys: [...apiKeys],
    ...(workloads && { workloads: [...workloads] }),
  };
}

/** Leaves out quotas with a charge of 0: a message cannot distinguish 0 from a missing charge, which means 1. */
function quotaSpecMessage(spec: BoundQuotaSpec): QuotaSpecMessage {
  const charges = ({ quota, charge }: QuotaRuleSpec['quotas'][number]): boolean => quota !== undefined && charge > 0;
  const isPlain = spec.rules.every(({ quotas }) => quotas.every(charges));
  const rules = isPlain ? spec.rules : spec.rules.map((rule) => ({ ...rule, quotas: rule.quotas.filter(charges) }));
  // The types of messages are not read-only, but no code writes to them.
  return (isPlain ? spec : { ...spec, rules }) as QuotaSpecMessage;
}

/** The given attributes, as messages. */
function attributeFields<Name extends string>(
  specs: Readonly<Record<Name, AttributesSpec | undefined>>,
): Partial<Record<Name, Attributes__Output>> {
  const fields: Partial<Record<Name, Attributes__Output>> = {};
  for (const name of Object.keys(specs) as Name[]) {
    const spec = specs[name];
    if (spec !== undefined) fields[name] = attributesSpecMessage(spec);
  }
  return fields;
}

/** Copies entries with Object.fromEntries, so that __proto__ is an ordinary key. */
function mapValues<In, Out>(map: Readonly<Record<string, In>>, convert: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, convert(value)]));
}
