import { errorAt } from '../expression-syntax-error.js';
import { readQuoted } from './read-quoted.js';
import type { Token } from './token.js';

const SPACE = /(?:[ \t\r\n]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const NAME = /[\p{L}_][\p{L}\p{Nd}_]*/uy;
/** Decimal only: Go has octal and hexadecimal numbers too, but the language has not. */
const FLOAT = /(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+/y;
const INT = /\d+/y;
const OPERATOR = /\|\||&&|==|!=|<=|>=|[<>|+\-*/%!()[\],.]/y;
const NAME_START = /[\p{L}_\d]/u;

/**
 * Splits an expression of the legacy syntax, a subset of Go's, into tokens. The last token is `end`.
 *
 * @throws ExpressionSyntaxError
 */
export function readTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let offset = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = offset;
    return pattern.exec(text)?.[0];
  };
  for (;;) {
    offset += take(SPACE)?.length ?? 0;
    if (offset >= text.length) break;
    const char = text.charAt(offset);
    if (char === '"' || char === '`' || char === "'") {
      const { value, end } = readQuoted(text, offset);
      tokens.push({ type: 'string', text: value, offset });
      offset = end;
      continue;
    }
    const token = nextToken(take, offset);
    if (token === undefined)
      throw errorAt(text, offset, `found ${shown(text, offset)}, expected a name, a value or an operator`);
    tokens.push(token);
    offset += token.text.length;
    if ((token.type === 'int' || token.type === 'float') && NAME_START.test(text.charAt(offset))) {
      throw errorAt(text, offset, `found ${shown(text, offset)} after a number, expected an operator`);
    }
  }
  tokens.push({ type: 'end', text: '', offset: text.length });
  return tokens;
}

function nextToken(take: (pattern: RegExp) => string | undefined, offset: number): Token | undefined {
  const name = take(NAME);
  if (name !== undefined) return { type: 'name', text: name, offset };
  const float = take(FLOAT);
  if (float !== undefined) return { type: 'float', text: float, offset };
  const int = take(INT);
  if (int !== undefined) return { type: 'int', text: int, offset };
  const operator = take(OPERATOR);
  return operator === undefined ? undefined : { type: 'operator', text: operator, offset };
}

function shown(text: string, offset: number): string {
  return JSON.stringify(String.fromCodePoint(text.codePointAt(offset) ?? 0));
}
