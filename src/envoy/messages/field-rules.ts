import type { MessageFields, MessageProblem } from './message-problem.js';

/** The rules of a field, by the type of its value, as `.proto` files write them (scripts/generate-descriptors.mjs). */
export interface Rules {
  readonly message?: { readonly required?: boolean };
  readonly any?: { readonly required?: boolean };
  readonly timestamp?: { readonly required?: boolean };
  readonly enum?: { readonly defined_only?: boolean };
  readonly repeated?: { readonly min_items?: number; readonly max_items?: number; readonly items?: Rules };
  readonly map?: { readonly min_pairs?: number; readonly keys?: Rules; readonly values?: Rules };
  readonly string?: TextRules;
  readonly bytes?: { readonly min_len?: number; readonly max_len?: number };
  readonly bool?: { readonly const?: boolean };
  readonly duration?: Bounds<{ readonly seconds?: number; readonly nanos?: number }> & { readonly required?: boolean };
  readonly int32?: Bounds<number>;
  readonly uint32?: Bounds<number>;
  readonly int64?: Bounds<number>;
  readonly uint64?: Bounds<number>;
  readonly float?: Bounds<number>;
  readonly double?: Bounds<number>;
}

interface Bounds<Value> {
  readonly gt?: Value;
  readonly gte?: Value;
  readonly lt?: Value;
  readonly lte?: Value;
}

interface TextRules {
  readonly min_len?: number;
  readonly max_len?: number;
  readonly min_bytes?: number;
  readonly max_bytes?: number;
  readonly prefix?: string;
  readonly pattern?: string;
  readonly well_known_regex?: 'HTTP_HEADER_NAME' | 'HTTP_HEADER_VALUE';
  /** Default true. */
  readonly strict?: boolean;
  readonly ignore_empty?: boolean;
}

type Fault = Pick<MessageProblem, 'message' | 'remedy'> | undefined;

const NUMBERS = ['int32', 'uint32', 'int64', 'uint64', 'float', 'double'] as const;

/** Checks one scalar, wrapped scalar or duration. */
export function checkScalar(rules: Rules, value: unknown, path: string): MessageProblem | undefined {
  const fault = faultOf(rules, value);
  return fault && { path, ...(value instanceof Uint8Array ? {} : { value }), ...fault };
}

function faultOf(rules: Rules, value: unknown): Fault {
  if (typeof value === 'string') return rules.string && faultOfText(rules.string, value);
  if (typeof value === 'boolean') return rules.bool && faultOfFlag(rules.bool, value);
  if (value instanceof Uint8Array) return rules.bytes && faultOfLength(rules.bytes, value.length, 'bytes');
  if (rules.duration !== undefined && typeof value === 'object' && value !== null) {
    return faultOfDuration(rules.duration, value as MessageFields);
  }
  const type = NUMBERS.find((name) => rules[name] !== undefined);
  return type === undefined ? undefined : faultOfBounds(rules[type] ?? {}, Number(value), String);
}

function faultOfFlag({ const: wanted }: { readonly const?: boolean }, value: boolean): Fault {
  return wanted === undefined || value === wanted
    ? undefined
    : { message: `is not ${wanted}`, remedy: `write ${wanted}, or leave it out` };
}

function faultOfText(rules: TextRules, text: string): Fault {
  if (text === '' && rules.ignore_empty === true) return undefined;
  const inCharacters = rules.min_len === undefined && rules.max_len === undefined ? 0 : [...text].length;
  return (
    faultOfLength(rules, inCharacters, 'characters') ??
    faultOfLength({ min_len: rules.min_bytes, max_len: rules.max_bytes }, Buffer.byteLength(text), 'bytes') ??
    faultOfForm(rules, text)
  );
}

function faultOfForm({ prefix, pattern, well_known_regex: known, strict = true }: TextRules, text: string): Fault {
  if (prefix !== undefined && !text.startsWith(prefix)) {
    return { message: `does not begin with ${prefix}`, remedy: `write ${prefix} before it` };
  }
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) {
    return { message: `does not match ${pattern}`, remedy: 'write it in this form' };
  }
  if (known === undefined) return undefined;
  const isOk = strict && known === 'HTTP_HEADER_NAME' ? /^:?[\w!#$%&'*+\-.^|~`]*$/.test(text) : !/[\0\r\n]/.test(text);
  return isOk ? undefined : { message: 'has characters that no header may have', remedy: 'remove them' };
}

function faultOfLength(
  {
    min_len: min = 0,
    max_len: max = Number.POSITIVE_INFINITY,
  }: { readonly min_len?: number | undefined; readonly max_len?: number | undefined },
  length: number,
  unit: string,
): Fault {
  if (length < min) return length === 0 ? { message: 'is empty', remedy: 'set it' } : tooShort(length, min, unit);
  return length > max ? { message: `has ${length} ${unit}`, remedy: `use at most ${max}` } : undefined;
}

function tooShort(length: number, min: number, unit: string): Fault {
  return { message: `has ${length} ${unit}`, remedy: `use at least ${min}` };
}

function faultOfBounds({ gt, gte, lt, lte }: Bounds<number>, value: number, show: (bound: number) => string): Fault {
  if (gt !== undefined && !(value > gt)) return { message: 'is too small', remedy: `use more than ${show(gt)}` };
  if (gte !== undefined && !(value >= gte)) return { message: 'is too small', remedy: `use at least ${show(gte)}` };
  if (lt !== undefined && !(value < lt)) return { message: 'is too large', remedy: `use less than ${show(lt)}` };
  if (lte !== undefined && !(value <= lte)) return { message: 'is too large', remedy: `use at most ${show(lte)}` };
  return undefined;
}

function faultOfDuration({ gt, gte, lt, lte }: NonNullable<Rules['duration']>, value: MessageFields): Fault {
  const seconds = (each: MessageFields | undefined): number | undefined =>
    each && Number(each['seconds'] ?? 0) + Number(each['nanos'] ?? 0) / 1e9;
  const bounds = { gt: seconds(gt), gte: seconds(gte), lt: seconds(lt), lte: seconds(lte) };
  return faultOfBounds(bounds as Bounds<number>, seconds(value) ?? 0, (bound) => `${bound}s`);
}
