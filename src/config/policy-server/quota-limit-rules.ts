import { type DurationRules, validateDuration } from '../duration-rules.js';
import { repeatedValues } from '../repeated-values.js';
import { childPath, type Violation } from '../violation.js';
import { type Dimension, parseDimension } from './dimension.js';
import { POLICY_SERVER_LIMITS, type QuotaFile } from './policy-server-schema.js';

type OverrideFile = QuotaFile['overrides'][number];

const LONGEST_WINDOW: DurationRules = {
  longest: {
    milliseconds: POLICY_SERVER_LIMITS.validDurationMs,
    message: 'is longer than 366 days',
    remedy: 'use 8784h or less',
  },
};

/** Rules of the quotas that their schema cannot express. */
export function* validateQuotas(quotas: readonly QuotaFile[]): Generator<Violation> {
  for (const { index, first } of repeatedValues(quotas.map(({ name }) => name))) {
    const message = `is the name of quotas[${first}] too`;
    const remedy = 'list each quota once; use overrides for limits of certain values';
    yield { path: `quotas[${index}].name`, value: quotas[index]?.name, message, remedy };
  }
  for (const [index, quota] of quotas.entries()) {
    const path = `quotas[${index}]`;
    yield* validateDuration(`${path}.validDuration`, quota.validDuration, LONGEST_WINDOW);
    yield* validateDimensions(path, quota.dimensions);
    yield* validateKeys(path, quota);
    yield* validateOverrides(path, quota);
  }
}

function* validateDimensions(path: string, dimensions: readonly string[]): Generator<Violation> {
  const texts = dimensions.map((value) => parseDimension(value)?.text);
  for (const [index, value] of dimensions.entries()) {
    if (texts[index] === undefined) {
      const remedy =
        'use the name of an attribute, such as request.api_key, or an entry of a map, such as request.headers[x-user]';
      yield { path: `${path}.dimensions[${index}]`, value, message: 'is not an attribute', remedy };
    }
  }
  for (const { index, first } of repeatedValues(texts)) {
    const message = `is the same as dimensions[${first}]`;
    yield { path: `${path}.dimensions[${index}]`, value: dimensions[index], message, remedy: 'remove one of them' };
  }
}

function* validateKeys(path: string, { keys, dimensions }: QuotaFile): Generator<Violation> {
  if (keys === undefined) return;
  const at = `${path}.keys`;
  if (keys.values.length === 0 && keys.file === undefined) {
    yield { path: at, message: 'has neither values nor a file, so all requests are rejected', remedy: 'add one' };
  }
  const { dimension: value } = keys;
  if (value === undefined) {
    if (dimensions.length === 1) return;
    const remedy = 'name the dimension that holds the key';
    yield { path: `${at}.dimension`, message: `is missing, and the quota has ${dimensions.length} dimensions`, remedy };
    return;
  }
  const texts = dimensions.flatMap((each) => parseDimension(each)?.text ?? []);
  if (texts.includes(parseDimension(value)?.text ?? '')) return;
  yield { path: `${at}.dimension`, value, message: 'is not a dimension of the quota', remedy: 'add it to dimensions' };
}

function* validateOverrides(path: string, quota: QuotaFile): Generator<Violation> {
  const dimensions = quota.dimensions.flatMap((text) => parseDimension(text) ?? []);
  for (const [index, override] of quota.overrides.entries()) {
    yield* validateOverride(`${path}.overrides[${index}]`, override, dimensions);
  }
  for (const { index, first } of repeatedValues(quota.overrides.map(overrideIdentity))) {
    const message = `has the same values as overrides[${first}]`;
    yield { path: `${path}.overrides[${index}].dimensions`, message, remedy: 'remove one of them' };
  }
}

/** Equal for overrides of the same values. */
function overrideIdentity({ dimensions }: OverrideFile): string {
  const values = Object.entries(dimensions).map(([name, value]) => [parseDimension(name)?.text ?? name, value]);
  return JSON.stringify(values.sort());
}

function* validateOverride(path: string, override: OverrideFile, known: readonly Dimension[]): Generator<Violation> {
  const names = Object.keys(override.dimensions);
  if (names.length === 0) {
    const remedy = "name the values that the override applies to, or change the quota's own limit";
    yield { path: `${path}.dimensions`, value: {}, message: 'has no values', remedy };
  }
  const seen = new Set<string>();
  for (const name of names) {
    const at = childPath(`${path}.dimensions`, name);
    const text = parseDimension(name)?.text;
    if (text === undefined || !known.some((dimension) => dimension.text === text)) {
      const remedy =
        known.length === 0
          ? 'add it to the dimensions of the quota'
          : `use one of ${known.map((dimension) => dimension.text).join(', ')}, or add it to the dimensions of the quota`;
      yield { path: at, message: 'is not a dimension of this quota', remedy };
    } else if (seen.has(text)) {
      yield {
        path: at,
        message: 'is a duplicate: names of headers are not case-sensitive',
        remedy: 'remove one of them',
      };
    } else seen.add(text);
  }
  if (override.maxAmount === undefined && override.validDuration === undefined) {
    yield { path, message: 'changes nothing', remedy: 'set maxAmount, validDuration or both' };
  }
  yield* validateDuration(`${path}.validDuration`, override.validDuration, LONGEST_WINDOW);
}
