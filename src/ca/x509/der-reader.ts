/** What was to be DER is not. */
export class DerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DerError';
  }
}

/** One element, in the very octets that it was read from: signatures are over those. */
export interface DerElement {
  readonly tag: number;
  /** Tag, length and content. */
  readonly raw: Buffer;
  readonly content: Buffer;
}

/** Lengths of more octets than this belong to nothing that is read here. */
const MAX_LENGTH_OCTETS = 3;

/**
 * The elements that stand one after the other, and nothing else. Strict: lengths are definite and as short as can be,
 * as DER wants. Does not look into the elements, so nesting costs nothing.
 *
 * @throws DerError
 */
export function readDer(octets: Buffer): readonly DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < octets.length; ) {
    const element = readElement(octets, at);
    elements.push(element);
    at += element.raw.length;
  }
  return elements;
}

/**
 * The elements inside one, whose tag must be the given one.
 *
 * @throws DerError
 */
export function childrenOf(element: DerElement | undefined, tag: number): readonly DerElement[] {
  return readDer(contentOf(element, tag));
}

/**
 * The content of an element, whose tag must be the given one.
 *
 * @throws DerError
 */
export function contentOf(element: DerElement | undefined, tag: number): Buffer {
  if (element === undefined) throw new DerError(`an element with tag ${tag} is missing`);
  if (element.tag !== tag) throw new DerError(`an element has tag ${element.tag} instead of ${tag}`);
  return element.content;
}

function readElement(octets: Buffer, start: number): DerElement {
  const tag = octets[start] ?? 0;
  if ((tag & 0x1f) === 0x1f) throw new DerError('tags of several octets are not read');
  const first = octets[start + 1];
  if (first === undefined) throw new DerError('an element ends after its tag');
  let length = first;
  let contentStart = start + 2;
  if (first >= 0x80) {
    const count = first & 0x7f;
    contentStart += count;
    if (count === 0) throw new DerError('a length is indefinite');
    if (count > MAX_LENGTH_OCTETS || contentStart > octets.length) throw new DerError('a length is too long');
    length = octets.readUIntBE(start + 2, count);
    if (length < 0x80 || length < 256 ** (count - 1)) throw new DerError('a length is longer than it need be');
  }
  const end = contentStart + length;
  if (end > octets.length) throw new DerError('an element is longer than what holds it');
  return { tag, raw: octets.subarray(start, end), content: octets.subarray(contentStart, end) };
}
