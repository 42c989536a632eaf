import type { ConfigDecoder } from '../wire/config-decoder.js';
import type { ConfigEncoder } from '../wire/config-encoder.js';

/** Reads and writes what proxies carry for the policy server as texts. */
export type PolicyTexts = Pick<
  ConfigDecoder,
  'readAttributesText' | 'readHttpClientConfigText' | 'readTcpClientConfigText'
> &
  Pick<ConfigEncoder, 'attributesText'>;
