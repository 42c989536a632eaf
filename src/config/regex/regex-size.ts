import { classItemCost, scanClass, scanEscape } from './scan-class.js';

/** Upper bounds of the size of a compiled expression. */
export interface RegexSize {
  readonly type: 'size';
  readonly instructions: number;
  readonly bytes: number;
  /** The largest product of nested counted repetitions. */
  readonly product: number;
}

/** An expression that is too large to estimate. */
export interface OversizedRegex {
  readonly type: 'oversized';
  readonly message: string;
  readonly remedy: string;
}

/** Maximum characters of an expression. Schemas have the same limit, but texts from messages have no schema. */
export const MAX_REGEX_LENGTH = 1024;
/** Maximum nesting of groups. */
const MAX_DEPTH = 250;

/**
 * Bytes of one instruction, measured with re2js 2.10.0: 80 to 180 for characters, up to 290 for groups and assertions.
 * `classItemCost` adds the table of ranges.
 */
const INSTRUCTION_BYTES = 300;
/** Failure, match, and the only step of an empty expression. */
const FIXED_INSTRUCTIONS = 3;

interface Frame {
  /** The largest product of nested repetitions in its items. */
  product: number;
  lastProduct: number;
  /** Instructions of the group so far. */
  sum: number;
  /** Instructions of the last item, to which a repetition applies. */
  last: number;
}

/**
 * Estimates the size of an expression without parsing it, in time linear in its text. Never throws. For a text that is not
 * a regular expression, the estimate limits the cost of parsing it.
 */
export function regexSize(text: string): RegexSize | OversizedRegex {
  if (text.length > MAX_REGEX_LENGTH) {
    return {
      type: 'oversized',
      message: `has ${text.length} characters, but an expression may have at most ${MAX_REGEX_LENGTH}`,
      remedy: 'write a shorter expression, or several expressions',
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
            message: `has more than ${MAX_DEPTH} nested groups`,
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
        // Two for the capture, one for an empty group.
        add(inner.sum + 3, inner.product);
        index++;
        break;
      }
      case '|':
        // One for the choice, one for an empty alternative.
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
        // Each optional copy needs a choice; an open end needs a loop.
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
          // An empty quotation is not an item: a repetition after it applies to the item before.
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
