import { classItemCost, scanClass, scanEscape } from './scan-class.js';

/** What an expression takes once it is compiled; upper bounds. */
export interface RegexSize {
  readonly type: 'size';
  readonly instructions: number;
  readonly bytes: number;
  /** The largest product of counted repetitions inside one another. */
  readonly product: number;
}

/** An expression that is not looked at any further. */
export interface OversizedRegex {
  readonly type: 'oversized';
  readonly message: string;
  readonly remedy: string;
}

/** Characters of an expression, the bound of the schemas as well. Texts from messages come without a schema. */
export const MAX_REGEX_LENGTH = 1024;
/** Groups inside one another. */
const MAX_DEPTH = 250;

/**
 * Bytes of one instruction, measured with re2js 2.10.0: 80 to 180 for characters, up to 290 for groups and assertions.
 * Its table of ranges comes on top, see `classItemCost`.
 */
const INSTRUCTION_BYTES = 300;
/** Failure, match, and an empty expression's only step. */
const FIXED_INSTRUCTIONS = 3;

interface Frame {
  /** The largest product of repetitions inside one another, of its items. */
  product: number;
  lastProduct: number;
  /** Instructions of the group so far. */
  sum: number;
  /** Those of the last item, to which a repetition applies. */
  last: number;
}

/**
 * Estimates the size of an expression without parsing it, in time linear in its text. Never throws; for a text that is
 * no regular expression the estimate still bounds what it costs to find that out.
 */
export function regexSize(text: string): RegexSize | OversizedRegex {
  if (text.length > MAX_REGEX_LENGTH) {
    return {
      type: 'oversized',
      message: `has ${text.length} characters, more than the ${MAX_REGEX_LENGTH} that an expression may have`,
      remedy: 'write a shorter expression, or several',
    };
  }
  const isFolding = /\(\?[A-Za-z-]*i/.test(text);
  const stack: Frame[] = [];
  let frame: Frame = newFrame();
  let rangeBytes = 0;
  const add = (instructions: number, product = 1): void => {
    frame.sum += instructions;
    frame.last = instructions;
    frame.lastProduct = product;
    frame.product = Math.max(frame.product, product);
  };
  const repeat = (instructions: number): void => {
    frame.sum += instructions - frame.last;
    frame.last = instructions;
  };
  for (let index = 0; index < text.length; ) {
    const char = text.charAt(index);
    switch (char) {
      case '(': {
        const flags = /^\(\?[A-Za-z-]*\)/.exec(text.slice(index, index + 16));
        if (flags !== null) {
          index += flags[0].length;
          break;
        }
        if (stack.length === MAX_DEPTH) {
          return {
            type: 'oversized',
            message: `has more than ${MAX_DEPTH} groups inside one another`,
            remedy: 'nest fewer groups',
          };
        }
        stack.push(frame);
        frame = newFrame();
        index += groupHead(text, index);
        break;
      }
      case ')': {
        const inner = frame;
        frame = stack.pop() ?? newFrame();
        // Two for what it captures, one for an empty group.
        add(inner.sum + 3, inner.product);
        index++;
        break;
      }
      case '|':
        // One to choose, one for an empty alternative.
        frame.sum += 2;
        frame.last = 0;
        index++;
        break;
      case '*':
      case '+':
      case '?':
        repeat(frame.last + 2);
        index++;
        break;
      case '{': {
        const counted = /^\{(\d{1,9})(,(\d{0,9}))?\}/.exec(text.slice(index, index + 24));
        if (counted === null) {
          add(1);
          index++;
          break;
        }
        const low = Number(counted[1]);
        const high = counted[2] === undefined ? low : Number(counted[3] || low);
        const copies = Math.max(low, high, 1);
        // Each optional copy has a choice before it; an open end has a loop.
        const choices = counted[2] === undefined ? 0 : copies;
        repeat(copies * frame.last + choices + 2);
        frame.lastProduct *= copies;
        frame.product = Math.max(frame.product, frame.lastProduct);
        index += counted[0].length;
        break;
      }
      case '[': {
        const scanned = scanClass(text, index, isFolding);
        rangeBytes += scanned.bytes;
        add(1);
        index = scanned.end;
        break;
      }
      case '\\': {
        if (text.charAt(index + 1) === 'Q') {
          const end = text.indexOf('\\E', index + 2);
          const quoted = text.slice(index + 2, end === -1 ? undefined : end);
          // An empty quotation is no item: a repetition after it applies to the item before.
          for (let count = 0; count < quoted.length; count++) add(1);
          index = end === -1 ? text.length : end + 2;
          break;
        }
        const escaped = scanEscape(text, index);
        rangeBytes += classItemCost(escaped, isFolding);
        add(1);
        index = escaped.end;
        break;
      }
      default:
        add(1);
        index++;
    }
  }
  const { product } = frame;
  for (const outer of stack) frame.sum += outer.sum;
  const instructions = frame.sum + FIXED_INSTRUCTIONS;
  return { type: 'size', instructions, bytes: instructions * INSTRUCTION_BYTES + rangeBytes, product };
}

function newFrame(): Frame {
  return { sum: 0, last: 0, product: 1, lastProduct: 1 };
}

/** Characters of the head of the group at `index`: `(`, `(?:`, `(?i:`, `(?P<name>`. */
function groupHead(text: string, index: number): number {
  const head = /^\((?:\?(?:P?<[^>]*>|[A-Za-z-]*:))?/.exec(text.slice(index));
  return head?.[0].length ?? 1;
}
