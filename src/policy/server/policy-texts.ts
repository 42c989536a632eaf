import type { ConfigDecoder } from '../wire/config-decoder.js';
import type { ConfigEncoder } from '../wire/config-encoder.js';

/** Reads what proxies carry for the policy server as texts. */
export type ProxyTextDecoder = Pick<
  ConfigDecoder,
  'readAttributesText' | 'readHttpClientConfigText' | 'readTcpClientConfigText'
>;

/** Writes what they are to carry. */
export type ProxyTextEncoder = Pick<ConfigEncoder, 'attributesText'>;

export type PolicyTexts = ProxyTextDecoder & ProxyTextEncoder;
