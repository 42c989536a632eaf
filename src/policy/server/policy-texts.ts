import { type AttributeLayer, EMPTY_LAYER } from '../client/attribute-bag.js';
import { stringAttribute } from '../client/attribute-value.js';
import { acceptForwarded } from '../client/forwarded-attributes.js';
import { withoutServiceNamespace } from '../client/service-namespace.js';
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
    const layer = withoutServiceNamespace(acceptForwarded(texts.readAttributesText(text) ?? EMPTY_LAYER));
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
const API_KEY = 'request.api_key';
const PROTOCOL = 'context.protocol';

/** @returns a function that writes the attributes of each API operation, of each plan, and of the last used keys once */
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
  const attributeMemo = (name: string) =>
    createBoundedMemo(MEMO, (value: string) => texts.attributesText(new Map([[name, stringAttribute(value)]])));
  const keyText = attributeMemo(API_KEY);
  const protocolText = attributeMemo(PROTOCOL);

  /** The key, the claims and the protocol, which depend on headers and metadata that the log lacks. */
  const ownTexts = (requestDerived: AttributeLayer): string[] => {
    const own: string[] = [];
    const protocol = requestDerived.get(PROTOCOL);
    if (protocol?.type === 'string' && protocol.value !== 'http') own.push(protocolText(protocol.value));
    const apiKey = requestDerived.get(API_KEY);
    if (apiKey?.type === 'string') own.push(keyText(apiKey.value));
    else if (apiKey !== undefined) own.push(texts.attributesText(new Map([[API_KEY, apiKey]])));
    if (requestDerived.has('request.auth.claims')) {
      own.push(texts.attributesText(new Map([...requestDerived].filter(([name]) => name.startsWith(AUTH_PREFIX)))));
    }
    return own;
  };

  return (apiLayer, requestDerived, planLayer) => {
    const all = ownTexts(requestDerived);
    // The attributes of an operation may have any name and take precedence: they come last, because later texts win.
    for (const layer of [apiLayer, planLayer]) {
      const text = textOf(layer);
      if (text !== '') all.push(text);
    }
    return all.join(',');
  };
}
