/** Maximum UTF-16 units of an expression. */
export const MAX_EXPRESSION_LENGTH = 8192;
/** Maximum parts of an expression: names, literals, operators and calls. */
export const MAX_EXPRESSION_NODES = 1000;
/** Maximum nesting of parentheses, indexes, arguments and unary operators. */
export const MAX_EXPRESSION_DEPTH = 50;
/** Maximum UTF-16 units of a text that an expression makes. */
export const MAX_MADE_TEXT = 65_536;
