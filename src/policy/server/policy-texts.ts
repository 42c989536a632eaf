import { type AttributeLayer, EMPTY_LAYER } from '../client/attribute-bag.js';
import type { AttributeValue } from '../client/attribute-value.js';
import { acceptForwarded } from '../client/forwarded-attributes.js';
import type { ConfigDecoder } from '../wire/config-decoder.js';
import type { ConfigEncoder } from '../wire/config-encoder.js';
import { createBoundedMemo } from './bounded-memo.js';

/** Reads the texts of proxies for the policy server. */
export type ProxyTextDecoder = Pick<
  ConfigDecoder,
  'readAttributesText' | 'readHttpClientConfigText' | 'readTcpClientConfigText'
>;

/** Writes texts that proxies pass on. */
export type ProxyTextEncoder = Pick<ConfigEncoder, 'attributesText'>;

export type PolicyTexts = ProxyTextDecoder & ProxyTextEncoder;

/** Attributes, and their text for the report. */
interface TextLayer {
  readonly layer: AttributeLayer;
  /** Empty for none. */
  readonly text: string;
}

/** The accepted forwarded attributes. */
export interface ForwardedAttributes extends TextLayer {
  /**
   * The attributes that identify the caller. The proxy of a service knows the service: a caller that could name it
   * could have its requests counted for another service.
   */
  readonly ofCaller: TextLayer;
}

const NO_TEXT: TextLayer = { layer: EMPTY_LAYER, text: '' };
const NONE: ForwardedAttributes = { ...NO_TEXT, ofCaller: NO_TEXT };
const SERVICE_NAMES = 'destination.service.';
const MEMO = { entries: 4096, maxKeyLength: 2048, characters: 1_000_000 };

/**
 * Reads the header x-mesh-attributes. An invalid value counts as empty
 * (docs/reference/policy-client.md#forwarded-attributes): a request must neither fail nor pass unchecked because of an
 * invented header.
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

/**
 * Writes the attributes of a request that its report needs and the access log lacks; empty for none.
 *
 * @param planLayer of consumer and plan
 */
export type RequestTexts = (
  apiLayer: AttributeLayer,
  requestDerived: AttributeLayer,
  planLayer: AttributeLayer,
) => string;

const AUTH_PREFIX = 'request.auth.';

/** @returns a function that writes the attributes of each API operation, and of each known key, once */
export function createRequestTexts(texts: PolicyTexts): RequestTexts {
  const known = new WeakMap<AttributeLayer, string>();
  const textOf = (layer: AttributeLayer): string => {
    if (layer.size === 0) return '';
    const before = known.get(layer);
    if (before !== undefined) return before;
    const text = texts.attributesText(layer);
    known.set(layer, text);
    return text;
  };
  return (apiLayer, requestDerived, planLayer) => {
    const own = ownAttributes(requestDerived);
    const ownText = own.size === 0 ? '' : texts.attributesText(own);
    // The attributes of an operation may have any name and take precedence: they come last, because later texts win.
    return [ownText, textOf(apiLayer), textOf(planLayer)].filter((text) => text !== '').join(',');
  };
}

/** The key, the claims and the protocol, which depend on headers and metadata that the log lacks. */
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
