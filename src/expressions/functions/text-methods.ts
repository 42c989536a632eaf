import { Failure } from '../values/failure.js';
import { checkTextLength } from '../values/made-text.js';
import { type ExpressionFunction, valueFunction, valueMethod } from './expression-function.js';

/** Methods of texts in CEL and its extension for texts. Positions count code points. */
export const TEXT_METHODS: readonly ExpressionFunction[] = [
  valueMethod('contains', ['STRING', 'STRING'], 'BOOL', (text, part) => text.includes(part)),
  valueMethod('charAt', ['STRING', 'INT64'], 'STRING', (text, index) => {
    const characters = [...text];
    const failure = checkIndex(index, characters.length);
    return failure ?? characters[Number(index)] ?? '';
  }),
  valueMethod('indexOf', ['STRING', 'STRING'], 'INT64', (text, part) => indexOf(text, part, 0n)),
  valueMethod('indexOf', ['STRING', 'STRING', 'INT64'], 'INT64', indexOf),
  valueMethod('lastIndexOf', ['STRING', 'STRING'], 'INT64', (text, part) => position(text, text.lastIndexOf(part))),
  valueMethod('lastIndexOf', ['STRING', 'STRING', 'INT64'], 'INT64', (text, part, from) => {
    const characters = [...text];
    return checkIndex(from, characters.length) ?? position(text, text.lastIndexOf(part, units(characters, from)));
  }),
  valueMethod('replace', ['STRING', 'STRING', 'STRING'], 'STRING', (text, from, to) => replace(text, from, to, -1n)),
  valueMethod('replace', ['STRING', 'STRING', 'STRING', 'INT64'], 'STRING', replace),
  valueMethod('substring', ['STRING', 'INT64'], 'STRING', (text, start) => {
    const characters = [...text];
    return checkIndex(start, characters.length) ?? characters.slice(Number(start)).join('');
  }),
  valueMethod('substring', ['STRING', 'INT64', 'INT64'], 'STRING', (text, start, end) => {
    const characters = [...text];
    const failure = checkIndex(start, characters.length) ?? checkIndex(end, characters.length);
    if (failure !== undefined) return failure;
    if (start > end) return new Failure(`the start ${start} of the substring is after its end ${end}`);
    return characters.slice(Number(start), Number(end)).join('');
  }),
  valueMethod('trim', ['STRING'], 'STRING', (text) => text.trim()),
  valueFunction('reverse', ['STRING'], 'STRING', reverse),
  valueMethod('reverse', ['STRING'], 'STRING', reverse),
  {
    name: 'split',
    isMethod: true,
    parameters: ['STRING', 'STRING'],
    result: { element: 'STRING' },
    run: (text: string, separator: string) => split(text, separator, -1n),
  },
  {
    name: 'split',
    isMethod: true,
    parameters: ['STRING', 'STRING', 'INT64'],
    result: { element: 'STRING' },
    run: split,
  },
];

function checkIndex(index: bigint, length: number): Failure | undefined {
  return index < 0n || index > BigInt(length)
    ? new Failure(`the index ${index} is outside of the text, which has ${length} characters`)
    : undefined;
}

/** UTF-16 units before a code point. */
function units(characters: readonly string[], index: bigint): number {
  return characters.slice(0, Number(index)).join('').length;
}

/** Code points before a UTF-16 unit; -1 stays -1. */
function position(text: string, unit: number): bigint {
  return unit < 0 ? -1n : BigInt([...text.slice(0, unit)].length);
}

function indexOf(text: string, part: string, from: bigint): bigint | Failure {
  const characters = [...text];
  return checkIndex(from, characters.length) ?? position(text, text.indexOf(part, units(characters, from)));
}

/** @param most how many to replace; negative: all */
function replace(text: string, from: string, to: string, most: bigint): string | Failure {
  // An empty text is found before each character and at the end.
  const parts = from === '' ? ['', ...text, ''] : text.split(from);
  const count = most < 0n ? parts.length - 1 : Math.min(Number(most), parts.length - 1);
  const failure = checkTextLength(text.length + count * (to.length - from.length));
  if (failure !== undefined) return failure;
  return [parts.slice(0, count + 1).join(to), ...parts.slice(count + 1)].join(from);
}

/**
 * An empty separator splits into code points.
 *
 * @param most how many parts; the last one has the rest of the text. Negative: all
 */
function split(text: string, separator: string, most: bigint): readonly string[] {
  const parts = separator === '' ? [...text] : text.split(separator);
  if (most < 0n || most >= BigInt(parts.length)) return parts;
  const kept = Number(most);
  return kept === 0 ? [] : [...parts.slice(0, kept - 1), parts.slice(kept - 1).join(separator)];
}

function reverse(text: string): string {
  return [...text].reverse().join('');
}
