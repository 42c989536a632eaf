/** Characters of a label's value. */
const MAX_VALUE = 256;
const MAX_HELP = 512;

/** The part of a label's value that is shown. */
export function cutValue(value: string): string {
  return value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE - 1)}…` : value;
}

/** `name="value"`, cut and escaped. */
export function labelText(name: string, value: string): string {
  return `${name}="${cutValue(value).replace(/[\\"\n]/g, escaped)}"`;
}

export function helpText(text: string): string {
  return text.slice(0, MAX_HELP).replace(/[\\\n]/g, escaped);
}

export function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return String(value);
}

function escaped(character: string): string {
  return character === '\n' ? '\\n' : `\\${character}`;
}
