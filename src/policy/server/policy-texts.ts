import { type AttributeLayer, EMPTY_LAYER } from '../client/attribute-bag.js';
import type { AttributeValue } from '../client/attribute-value.js';
import { acceptForwarded } from '../client/forwarded-attributes.js';
import type { ConfigDecoder } from '../wire/config-decoder.js';
import type { ConfigEncoder } from '../wire/config-encoder.js';
import { createBoundedMemo } from './bounded-memo.js';

/** Reads what proxies carry for the policy server as texts. */
export type ProxyTextDecoder = Pick<
  ConfigDecoder,
  'readAttributesText' | 'readHttpClientConfigText' | 'readTcpClientConfigText'
>;

/** Writes what they are to carry. */
export type ProxyTextEncoder = Pick<ConfigEncoder, 'attributesText'>;

export type PolicyTexts = ProxyTextDecoder & ProxyTextEncoder;

/** Attributes, and their text for the report. */
interface TextLayer {
  readonly layer: AttributeLayer;
  /** Empty for none. */
  readonly text: string;
}

/** Forwarded attributes that count. */
export interface ForwardedAttributes extends TextLayer {
  /**
   * Those of them that tell who the caller is. Which service a request is for, the proxy knows that has it: were the
   * caller's word taken for that, it could have itself counted as a caller of any other.
   */
  readonly ofCaller: TextLayer;
}

const NO_TEXT: TextLayer = { layer: EMPTY_LAYER, text: '' };
const NONE: ForwardedAttributes = { ...NO_TEXT, ofCaller: NO_TEXT };
const SERVICE_NAMES = 'destination.service.';
const MEMO = { entries: 4096, maxKeyLength: 2048, characters: 1_000_000 };

/**
 * Reads the header x-mesh-attributes. Callers send it: what cannot be read counts as nothing
 * (docs/reference/policy-client.md), for a request must not fail, nor pass unchecked, because of a header that somebody
 * made up.
 */
export function createForwardedTexts(texts: PolicyTexts): (text: string | undefined) => ForwardedAttributes {
  const withText = (layer: AttributeLayer): TextLayer =>
    layer.size === 0 ? NO_TEXT : { layer, text: texts.attributesText(layer) };
  const memo = createBoundedMemo(MEMO, (text): ForwardedAttributes => {
    const layer = acceptForwarded(texts.readAttributesText(text) ?? EMPTY_LAYER);
    const ofCaller = new Map([...layer].filter(([name]) => !name.startsWith(SERVICE_NAMES)));
    return layer.size === 0 ? NONE : { ...withText(layer), ofCaller: withText(ofCaller) };
  });
  return (text) => (text === undefined || text === '' ? NONE : memo(text));
}

/** Writes what a report needs to know of its request and the access log does not say; empty for nothing. */
export type RequestTexts = (apiLayer: AttributeLayer, requestDerived: AttributeLayer) => string;

const AUTH_PREFIX = 'request.auth.';

/** @returns a function that writes the attributes of each API operation once */
export function createRequestTexts(texts: PolicyTexts): RequestTexts {
  const apiTexts = new WeakMap<AttributeLayer, string>();
  const apiText = (layer: AttributeLayer): string => {
    const known = apiTexts.get(layer);
    if (known !== undefined) return known;
    const text = layer.size === 0 ? '' : texts.attributesText(layer);
    apiTexts.set(layer, text);
    return text;
  };
  return (apiLayer, requestDerived) => {
    const own = ownAttributes(requestDerived);
    const ownText = own.size === 0 ? '' : texts.attributesText(own);
    // An operation's attributes may have any name, and win: they come last, for later texts take precedence.
    return [ownText, apiText(apiLayer)].filter((text) => text !== '').join(',');
  };
}

/** The key, claims, and whether it is gRPC: headers and metadata that the log does not have decide about these. */
function ownAttributes(requestDerived: AttributeLayer): AttributeLayer {
  const own = new Map<string, AttributeValue>();
  const protocol = requestDerived.get('context.protocol');
  if (protocol?.type === 'string' && protocol.value !== 'http') own.set('context.protocol', protocol);
  const apiKey = requestDerived.get('request.api_key');
  if (apiKey !== undefined) own.set('request.api_key', apiKey);
  if (requestDerived.has('request.auth.claims')) {
    for (const [name, value] of requestDerived) {
      if (name.startsWith(AUTH_PREFIX)) own.set(name, value);
    }
  }
  return own;
}
