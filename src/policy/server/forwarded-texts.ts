import { type AttributeLayer, EMPTY_LAYER } from '../client/attribute-bag.js';
import { acceptForwarded } from '../client/forwarded-attributes.js';
import { createBoundedMemo } from './bounded-memo.js';
import type { PolicyTexts } from './policy-texts.js';

/** Forwarded attributes that count, and their text for the report. */
export interface ForwardedAttributes {
  readonly layer: AttributeLayer;
  /** Empty for none. */
  readonly text: string;
}

const NONE: ForwardedAttributes = { layer: EMPTY_LAYER, text: '' };
const MEMO = { entries: 4096, maxKeyLength: 2048 };

/**
 * Reads the header x-mesh-attributes. Callers send it: what cannot be read counts as nothing (BEHAVIOUR 6), for a
 * request must not fail, nor pass unchecked, because of a header that somebody made up.
 */
export function createForwardedTexts(texts: PolicyTexts): (text: string | undefined) => ForwardedAttributes {
  const memo = createBoundedMemo(MEMO, (text): ForwardedAttributes => {
    const layer = acceptForwarded(texts.readAttributesText(text) ?? EMPTY_LAYER);
    return layer.size === 0 ? NONE : { layer, text: texts.attributesText(layer) };
  });
  return (text) => (text === undefined || text === '' ? NONE : memo(text));
}
