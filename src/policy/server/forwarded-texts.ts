import { type AttributeLayer, EMPTY_LAYER } from '../client/attribute-bag.js';
import { acceptForwarded } from '../client/forwarded-attributes.js';
import { createBoundedMemo } from './bounded-memo.js';
import type { PolicyTexts } from './policy-texts.js';

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
 * Reads the header x-mesh-attributes. Callers send it: what cannot be read counts as nothing (BEHAVIOUR 6), for a
 * request must not fail, nor pass unchecked, because of a header that somebody made up.
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
