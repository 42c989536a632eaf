import type { AttributeLayer } from '../client/attribute-bag.js';
import type { AttributeValue } from '../client/attribute-value.js';
import type { PolicyTexts } from './policy-texts.js';

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
