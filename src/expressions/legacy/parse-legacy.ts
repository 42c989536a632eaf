import { DurationSyntaxError, parseDurationNs } from '../../base/parse-duration.js';
import { MAX_EXPRESSION_DEPTH, MAX_EXPRESSION_NODES } from '../expression-limits.js';
import { errorAt } from '../expression-syntax-error.js';
import type { BinaryOperator, Literal, SyntaxNode, UnaryOperator } from '../tree/syntax-tree.js';
import { readTokens } from './read-tokens.js';
import type { Token } from './token.js';

/** Go's precedences: `|` binds as `+` does, so `a | "x" == "y"` is `(a | "x") == "y"`. */
const PRECEDENCE: ReadonlyMap<string, number> = new Map([
  ['||', 1],
  ['&&', 2],
  ...['==', '!=', '<', '<=', '>', '>='].map((operator) => [operator, 3] as const),
  ...['+', '-', '|'].map((operator) => [operator, 4] as const),
  ...['*', '/', '%'].map((operator) => [operator, 5] as const),
]);
const LOWEST = 1;
const UNARY: ReadonlySet<string> = new Set<UnaryOperator>(['!', '-', '+']);
const LARGEST_INT64 = 2n ** 63n - 1n;

/**
 * Parses the legacy syntax, of the languages `legacy` and `compat`. It is a subset of Go's expressions.
 *
 * @throws ExpressionSyntaxError
 */
export function parseLegacy(text: string): SyntaxNode {
  return new LegacyParser(text).parse();
}

class LegacyParser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #nodes = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = readTokens(text);
  }

  parse(): SyntaxNode {
    const node = this.#binary(LOWEST);
    if (this.#token.type !== 'end') this.#fail('an operator');
    return node;
  }

  get #token(): Token {
    return this.#tokens[this.#next] ?? { type: 'end', text: '', offset: this.#text.length };
  }

  #binary(lowest: number): SyntaxNode {
    let left = this.#unary();
    for (;;) {
      const { type, text, offset } = this.#token;
      const precedence = type === 'operator' ? PRECEDENCE.get(text) : undefined;
      if (precedence === undefined || precedence < lowest) return left;
      this.#next++;
      const right = this.#nested(() => this.#binary(precedence + 1));
      left = this.#made({ kind: 'binary', operator: text as BinaryOperator, left, right, offset });
    }
  }

  #unary(): SyntaxNode {
    const { type, text, offset } = this.#token;
    if (type !== 'operator' || !UNARY.has(text)) return this.#postfix(this.#primary());
    this.#next++;
    const operand = this.#nested(() => this.#unary());
    return this.#made({ kind: 'unary', operator: text as UnaryOperator, operand, offset });
  }

  #primary(): SyntaxNode {
    const token = this.#token;
    if (this.#takes('(')) {
      const inner = this.#nested(() => this.#binary(LOWEST));
      this.#expect(')');
      return inner;
    }
    if (token.type === 'end' || token.type === 'operator') this.#fail('a name, a value or (');
    this.#next++;
    const { offset } = token;
    if (token.type !== 'name') return this.#made({ kind: 'literal', literal: this.#literal(token), offset });
    const lower = token.text.toLowerCase();
    if (lower === 'true' || lower === 'false') {
      return this.#made({ kind: 'literal', literal: { type: 'BOOL', value: lower === 'true' }, offset });
    }
    if (!this.#takes('(')) return this.#made({ kind: 'name', name: token.text, offset });
    return this.#made({ kind: 'call', name: token.text, parameters: this.#parameters(), offset });
  }

  /** Selections, indexes and calls of methods after an operand. */
  #postfix(primary: SyntaxNode): SyntaxNode {
    let node = primary;
    for (;;) {
      const { offset } = this.#token;
      if (this.#takes('.')) {
        const field = this.#token;
        if (field.type !== 'name') this.#fail('a name');
        this.#next++;
        node = this.#takes('(')
          ? this.#made({
              kind: 'call',
              name: field.text,
              target: node,
              parameters: this.#parameters(),
              offset: field.offset,
            })
          : this.#made({ kind: 'select', operand: node, field: field.text, offset: node.offset });
      } else if (this.#takes('[')) {
        const index = this.#nested(() => this.#binary(LOWEST));
        this.#expect(']');
        node = this.#made({ kind: 'index', operand: node, index, offset });
      } else {
        return node;
      }
    }
  }

  /** Parameters after `(`, up to `)`. */
  #parameters(): SyntaxNode[] {
    const parameters: SyntaxNode[] = [];
    while (!this.#takes(')')) {
      parameters.push(this.#nested(() => this.#binary(LOWEST)));
      if (!this.#takes(',') && this.#token.text !== ')') this.#fail(', or )');
    }
    return parameters;
  }

  #literal({ type, text, offset }: Token): Literal {
    switch (type) {
      case 'int': {
        const value = BigInt(text);
        if (value > LARGEST_INT64) throw errorAt(this.#text, offset, `${text} does not fit into 64 bits`);
        return { type: 'INT64', value };
      }
      case 'float': {
        const value = Number(text);
        if (!Number.isFinite(value)) throw errorAt(this.#text, offset, `${text} does not fit into a DOUBLE`);
        return { type: 'DOUBLE', value };
      }
      default:
        return durationLiteral(text) ?? { type: 'STRING', value: text };
    }
  }

  #takes(operator: string): boolean {
    const { type, text } = this.#token;
    if (type !== 'operator' || text !== operator) return false;
    this.#next++;
    return true;
  }

  #expect(operator: string): void {
    if (!this.#takes(operator)) this.#fail(`an operator or ${operator}`);
  }

  #nested(parse: () => SyntaxNode): SyntaxNode {
    if (++this.#depth > MAX_EXPRESSION_DEPTH) {
      throw errorAt(
        this.#text,
        this.#token.offset,
        `the expression nests deeper than ${MAX_EXPRESSION_DEPTH} levels: use several rules`,
      );
    }
    const node = parse();
    this.#depth--;
    return node;
  }

  #made(node: SyntaxNode): SyntaxNode {
    if (++this.#nodes > MAX_EXPRESSION_NODES) {
      throw errorAt(
        this.#text,
        node.offset,
        `the expression has more than ${MAX_EXPRESSION_NODES} names, values, operators and calls: use several rules`,
      );
    }
    return node;
  }

  #fail(expected: string): never {
    const { type, text, offset } = this.#token;
    const found = type === 'end' ? 'the end of the expression' : type === 'operator' ? text : JSON.stringify(text);
    throw errorAt(this.#text, offset, `found ${found}, expected ${expected}`);
  }
}

/** Every text that reads as a duration is one, also "0". */
function durationLiteral(text: string): Literal | undefined {
  try {
    return { type: 'DURATION', value: parseDurationNs(text), text };
  } catch (error) {
    if (error instanceof DurationSyntaxError) return undefined;
    throw error;
  }
}
