import { errorText } from '../../base/error-text.js';
import type { Steps } from '../../base/steps.js';
import type { ResolvedPlan } from '../../config/plans/resolved-plan.js';
import type { HttpClientConfig, ServiceConfig, TcpClientConfig } from '../../config/policy/client-config.js';
import type { ProtoRegistry } from '../../envoy/proto-registry.js';
import type { Attributes__Output } from '../../generated/policy/mesh/policy/v1/Attributes.js';
import type { HttpClientConfig__Output } from '../../generated/policy/mesh/policy/v1/HttpClientConfig.js';
import type { ResolvedPlan__Output } from '../../generated/policy/mesh/policy/v1/ResolvedPlan.js';
import type { ServiceConfig__Output } from '../../generated/policy/mesh/policy/v1/ServiceConfig.js';
import type { TcpClientConfig__Output } from '../../generated/policy/mesh/policy/v1/TcpClientConfig.js';
import type { AttributeLayer } from '../client/attribute-bag.js';
import { readAttributesMessage } from './attributes-message.js';
import { POLICY_TYPE_URLS } from './call-metadata.js';
import { readConsumers, splitPlan } from './plan-consumers.js';
import { readPlanMessage } from './plan-message.js';
import { PolicyWireError } from './policy-wire-error.js';
import { readHttpClientConfig, readServiceConfig, readTcpClientConfig } from './read-client-config.js';

/**
 * Reads the messages of `config-encoder`. Invalid bytes throw PolicyWireError. Invalid texts, which any caller can
 * send, give undefined.
 */
export interface ConfigDecoder {
  attributes(bytes: Uint8Array): AttributeLayer;
  httpClientConfig(bytes: Uint8Array): HttpClientConfig;
  tcpClientConfig(bytes: Uint8Array): TcpClientConfig;
  serviceConfig(bytes: Uint8Array): ServiceConfig;
  /** In steps, because a plan can have 50,000 keys. */
  plan(bytes: Buffer): Steps<ResolvedPlan>;
  /** The value of `x-mesh-attributes`, a list with commas in which later items win. Undefined for an invalid value. */
  readAttributesText(text: string): AttributeLayer | undefined;
  /** The value of the metadata `x-mesh-client-config`. Undefined for an invalid value. */
  readHttpClientConfigText(text: string): HttpClientConfig | undefined;
  readTcpClientConfigText(text: string): TcpClientConfig | undefined;
}

/** The longest text that is read: far longer than any text of a proxy. Longer texts cost no work. */
export const MAX_TEXT_LENGTH = 65_536;

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** @param registry with our own messages, as `loadProtoRegistry` loads them */
export function createConfigDecoder(registry: ProtoRegistry): ConfigDecoder {
  const decode = <Output>(type: keyof typeof POLICY_TYPE_URLS, bytes: Uint8Array): Output => {
    const messageType = registry.type(POLICY_TYPE_URLS[type]);
    try {
      return messageType.toObject(messageType.decode(bytes), { longs: String, enums: String }) as Output;
    } catch (cause) {
      throw undecodable(messageType.name, cause);
    }
  };
  function* plan(bytes: Buffer): Steps<ResolvedPlan> {
    try {
      const { consumers, others } = yield* splitPlan(bytes);
      const plain = readPlanMessage(decode<ResolvedPlan__Output>('plan', others));
      return { ...plain, consumers: yield* readConsumers(consumers) };
    } catch (cause) {
      throw cause instanceof PolicyWireError ? cause : undecodable('ResolvedPlan', cause);
    }
  }
  const decoder = {
    attributes: (bytes: Uint8Array) => readAttributesMessage(decode<Attributes__Output>('attributes', bytes)),
    httpClientConfig: (bytes: Uint8Array) =>
      readHttpClientConfig(decode<HttpClientConfig__Output>('httpClientConfig', bytes)),
    tcpClientConfig: (bytes: Uint8Array) =>
      readTcpClientConfig(decode<TcpClientConfig__Output>('tcpClientConfig', bytes)),
    serviceConfig: (bytes: Uint8Array) => readServiceConfig(decode<ServiceConfig__Output>('serviceConfig', bytes)),
  };
  return {
    ...decoder,
    plan,
    readAttributesText: (text) => {
      const layers = textItems(text)?.map((item) => readText(item, decoder.attributes));
      if (layers === undefined || layers.includes(undefined)) return undefined;
      const [first, ...others] = layers as AttributeLayer[];
      return others.length === 0 ? first : new Map([...(first ?? []), ...others.flatMap((layer) => [...layer])]);
    },
    readHttpClientConfigText: (text) => readText(text, decoder.httpClientConfig),
    readTcpClientConfigText: (text) => readText(text, decoder.tcpClientConfig),
  };
}

function undecodable(message: string, cause: unknown): PolicyWireError {
  return new PolicyWireError(message, `cannot be decoded: ${errorText(cause)}`, { cause });
}

/** Undefined when it is too long to be looked at. */
function textItems(text: string): readonly string[] | undefined {
  return text.length > MAX_TEXT_LENGTH ? undefined : text.split(',').map((item) => item.trim());
}

function readText<Value>(text: string, read: (bytes: Uint8Array) => Value): Value | undefined {
  if (text.length > MAX_TEXT_LENGTH || !BASE64.test(text)) return undefined;
  try {
    return read(Buffer.from(text, 'base64'));
  } catch (error) {
    if (error instanceof PolicyWireError) return undefined;
    throw error;
  }
}
