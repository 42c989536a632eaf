import { dump } from 'js-yaml';
import type { FilterImplOptions } from 'liquidjs';
import { parseDurationNs } from '../../../base/parse-duration.js';
import { formatDuration } from '../../../config/format-duration.js';
import { createYamlParser } from '../../../config/yaml/parse-document.js';

/** Converts the value of a filter to text; undefined and null become the empty text. */
export function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Filters for texts, and for the formats of values (docs/reference/webhooks.md#template-filters). */
export const textFilters: Readonly<Record<string, FilterImplOptions>> = {
  toJSON,
  toJson: toJSON,
  structToJSON: toJSON,
  protoToJSON: toJSON,

  /** `{{ text | fromJSON }}` */
  fromJSON(value: unknown): unknown {
    const text = toText(value);
    this.context.memoryLimit.use(text.length);
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new Error(`fromJSON: ${error instanceof Error ? error.message : 'not JSON'}: give it a text of JSON`);
    }
  },

  /** Parses a text of YAML. Invalid YAML rejects the pod. */
  fromYaml(value: unknown): unknown {
    const text = toText(value);
    this.context.memoryLimit.use(text.length);
    const parsed = createYamlParser()(text);
    if (parsed.type === 'value') return parsed.value;
    throw new Error(`fromYaml: line ${parsed.line ?? 1} of the text: ${parsed.message}: give it a text of YAML`);
  },

  /** YAML without a line break at its end: `{{ value | toYaml | indent: 4 }}` */
  toYaml(value: unknown): string {
    this.context.memoryLimit.use(sizeOf(value));
    return dump(value ?? null, { lineWidth: -1, noRefs: true, skipInvalid: true }).trimEnd();
  },

  /** Indents every line by a number of spaces. */
  indent(value: unknown, spaces: unknown): string {
    const text = toText(value);
    const count = Number(spaces);
    if (!Number.isInteger(count) || count < 0 || count > 100) {
      throw new Error(`indent: ${toText(spaces)} spaces: give it a whole number from 0 to 100`);
    }
    const lines = text.split('\n');
    this.context.memoryLimit.use(text.length + lines.length * (count + 1));
    return lines.map((line) => ' '.repeat(count) + line).join('\n');
  },

  toLower(value: unknown): string {
    const text = toText(value);
    this.context.memoryLimit.use(text.length);
    return text.toLowerCase();
  },

  /** The folder of a path: `/etc/certs` of `/etc/certs/root.pem`. */
  directory(value: unknown): string {
    const path = toText(value);
    const end = path.lastIndexOf('/');
    if (end === -1) return '.';
    return end === 0 ? '/' : path.slice(0, end);
  },

  /** Whether a text contains another text, or a list an item. */
  contains(value: unknown, part: unknown): boolean {
    return Array.isArray(value) ? value.includes(part) : toText(value).includes(toText(part));
  },

  /** Formats milliseconds or a duration as a duration: `45s`. */
  formatDuration(value: unknown): string {
    if (typeof value === 'string') return formatDuration(parseDurationNs(value));
    if (typeof value === 'number' && Number.isFinite(value)) return formatDuration(BigInt(Math.round(value * 1e6)));
    throw new Error(`formatDuration: ${toText(value)} is not a duration: give it milliseconds, or a text such as 45s`);
  },

  /** Escapes `$`, so that Kubernetes does not expand `$(NAME)` in args, command or env. Use it for texts of the pod. */
  literal(value: unknown): string {
    const text = toText(value);
    this.context.memoryLimit.use(text.length * 2);
    return text.replaceAll('$', '$$$$');
  },

  /** Rejects the pod with this text as the error. */
  fail(value: unknown): never {
    throw new Error(toText(value));
  },
};

function toJSON(this: { readonly context: { readonly memoryLimit: { use(count: number): void } } }, value: unknown) {
  const text = JSON.stringify(value ?? null);
  this.context.memoryLimit.use(text.length);
  return text;
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value ?? null).length;
}
