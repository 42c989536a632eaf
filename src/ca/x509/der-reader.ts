/** The bytes are not valid DER. */
export class DerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DerError';
  }
}

/** One element with its original octets, because signatures are computed over those. */
export interface DerElement {
  readonly tag: number;
  /** Tag, length and content. */
  readonly raw: Buffer;
  readonly content: Buffer;
}

/** Longer lengths do not occur in certificates and requests. */
const MAX_LENGTH_OCTETS = 3;

/**
 * Reads consecutive elements, without their content, so nesting costs nothing. It is strict as DER requires: lengths
 * are definite and as short as possible.
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
 * The elements inside an element with the given tag.
 *
 * @throws DerError
 */
export function childrenOf(element: DerElement | undefined, tag: number): readonly DerElement[] {
  return readDer(contentOf(element, tag));
}

/**
 * The content of an element with the given tag.
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
    if (length < 0x80 || length < 256 ** (count - 1)) throw new DerError('a length has more octets than needed');
  }
  const end = contentStart + length;
  if (end > octets.length) throw new DerError('an element is longer than what holds it');
  return { tag, raw: octets.subarray(start, end), content: octets.subarray(contentStart, end) };
}
