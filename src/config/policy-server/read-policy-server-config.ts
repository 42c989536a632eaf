import { parseDuration } from '../../base/parse-duration.js';
import { ATTRIBUTE_VOCABULARY } from '../attributes/attribute-vocabulary.js';
import { type GeneratedAttributes, judgeDimension } from '../attributes/judge-attribute.js';
import { type DurationRules, validateDuration } from '../duration-rules.js';
import { isHostAndPort } from '../primitives.js';
import type { SchemaCompiler } from '../schema/schema-reader.js';
import type { SettingsReader } from '../settings-reader.js';
import type { Violation } from '../violation.js';
import { type Dimension, parseDimension } from './dimension.js';
import type {
  KeyList,
  PolicyBackend,
  PolicyServerConfig,
  QuotaLimit,
  QuotaOverride,
  QuotaStorage,
} from './policy-server-config.js';
import {
  CALLERS_DEFAULTS,
  MEMORY_DEFAULTS,
  OVERLOAD_DEFAULTS,
  type PolicyServerFile,
  policyServerSchema,
  type QuotaFile,
  REDIS_DEFAULTS,
  type StorageFile,
} from './policy-server-schema.js';
import { validateQuotas } from './quota-limit-rules.js';
import { parseRedisAddress } from './redis-address.js';
import { validateStorage } from './storage-rules.js';

const MAX_VIOLATIONS = 20;

/** Makes the reader of the policy server's configuration file. Violations never show values that may be secret. */
export function createPolicyServerConfigReader(compiler: SchemaCompiler): SettingsReader<PolicyServerConfig> {
  const reader = compiler.compile(policyServerSchema, 'reported');
  return (content) => {
    const result = reader.read(content ?? {});
    if (result.type === 'invalid') return { type: 'invalid', violations: result.violations.map(withoutSecret) };
    const file = result.value;
    const violations = [
      ...validateQuotas(file.quotas),
      ...validateStorage(file.storage),
      ...validateOverload(file),
      ...validateBackend(file),
    ];
    if (violations.length > 0) return { type: 'invalid', violations: violations.slice(0, MAX_VIOLATIONS) };
    // An unknown field may be the misspelt name of a secret.
    const unknown = result.unknownFields.map(({ value: _hidden, ...violation }) => violation);
    return {
      type: 'valid',
      value: translate(file),
      warnings: [...unknown, ...unusedFields(file), ...ineffectiveDimensions(file)],
    };
  };
}

/** The configuration of a policy server without a configuration file: every quota is granted. */
export function createDefaultPolicyServerConfig(): PolicyServerConfig {
  return {
    quotas: [],
    storage: { type: 'memory', ...MEMORY_DEFAULTS },
    reports: { log: false },
    callers: CALLERS_DEFAULTS,
    overload: overloadOf(OVERLOAD_DEFAULTS),
  };
}

const SHOWN_STORAGE_FIELDS: ReadonlySet<string> = new Set(['type', 'maxCounters', 'keyPrefix', 'timeout']);

/** Removes values of the storage that may contain a password. */
function withoutSecret(violation: Violation): Violation {
  const [first = '', field = ''] = violation.path.split('.');
  if (!first.startsWith('storage') || SHOWN_STORAGE_FIELDS.has(field)) return violation;
  const { value: _hidden, ...shown } = violation;
  return shown;
}

const LONGEST_SHED_AFTER: DurationRules = {
  longest: {
    milliseconds: 60_000,
    message: 'is so long that Checks time out first',
    remedy: 'use 1m or less, or set overload.shed to false',
  },
};

function* validateOverload({ overload }: PolicyServerFile): Generator<Violation> {
  yield* validateDuration('overload.shedAfter', overload.shedAfter, LONGEST_SHED_AFTER);
}

function* validateBackend({ backend }: PolicyServerFile): Generator<Violation> {
  if (backend === undefined || isHostAndPort(backend.address)) return;
  const { address: value } = backend;
  yield { path: 'backend.address', value, message: 'is not an address', remedy: 'use host:port' };
}

const ANY_GENERATED: GeneratedAttributes = new Map(
  ATTRIBUTE_VOCABULARY.filter(({ setBy }) => setBy === 'HTTPAPISpec').map(({ name }) => [name, new Set()]),
);

/** With a backend, the quotas of this file have no effect. */
function unusedFields({ quotas, backend }: PolicyServerFile): readonly Violation[] {
  if (backend === undefined || quotas.length === 0) return [];
  const remedy = 'configure them at the backend, or remove the backend';
  return [{ path: 'quotas', message: 'have no effect, because the backend counts', remedy }];
}

/** Finds dimensions without effect. Assumes that HTTPAPISpecs set all attributes that they can set. */
function* ineffectiveDimensions({ quotas }: PolicyServerFile): Iterable<Violation> {
  for (const [quota, { dimensions }] of quotas.entries()) {
    for (const [index, value] of dimensions.entries()) {
      const finding = judgeDimension(value, { generated: ANY_GENERATED });
      if (finding === undefined) continue;
      const remedy = 'use an attribute that is known at a check (see docs/attributes.md), or set it by an HTTPAPISpec';
      yield {
        path: `quotas[${quota}].dimensions[${index}]`,
        value,
        message: `${finding.type === 'unique' ? 'limits nothing' : 'does not distinguish callers'}: ${finding.text}`,
        remedy,
      };
    }
  }
}

function translate(file: PolicyServerFile): PolicyServerConfig {
  return {
    quotas: file.quotas.map(translateQuota),
    storage: translateStorage(file.storage),
    reports: file.reports,
    callers: file.callers,
    overload: overloadOf(file.overload),
    ...(file.backend !== undefined && { backend: translateBackend(file.backend) }),
  };
}

function overloadOf({
  shed,
  shedAfter,
  maxPendingChecks,
}: PolicyServerFile['overload']): PolicyServerConfig['overload'] {
  return { shed, shedAfterMs: parseDuration(shedAfter), maxPendingChecks };
}

function translateQuota(quota: QuotaFile): QuotaLimit {
  const { name, maxAmount, window } = quota;
  const validDurationMs = parseDuration(quota.validDuration);
  const overrides = quota.overrides.map(
    (override): QuotaOverride => ({
      dimensions: new Map(
        Object.entries(override.dimensions).map(([key, value]) => [parseDimension(key)?.text ?? key, value]),
      ),
      maxAmount: override.maxAmount ?? maxAmount,
      validDurationMs: override.validDuration === undefined ? validDurationMs : parseDuration(override.validDuration),
    }),
  );
  const dimensions = quota.dimensions.flatMap((text) => parseDimension(text) ?? []);
  const keys = translateKeys(quota, dimensions);
  return { name, maxAmount, validDurationMs, window, dimensions, overrides, ...(keys && { keys }) };
}

function translateKeys({ keys }: QuotaFile, dimensions: readonly Dimension[]): KeyList | undefined {
  if (keys === undefined) return undefined;
  const text = keys.dimension === undefined ? dimensions[0]?.text : parseDimension(keys.dimension)?.text;
  const dimension = dimensions.find((each) => each.text === text);
  if (dimension === undefined) return undefined;
  return { dimension, values: keys.values, ...(keys.file !== undefined && { file: keys.file }) };
}

function translateStorage(storage: StorageFile): QuotaStorage {
  const address = storage.type === 'redis' ? parseRedisAddress(storage.address ?? '') : undefined;
  if (address === undefined) return { type: 'memory', maxCounters: storage.maxCounters ?? MEMORY_DEFAULTS.maxCounters };
  return {
    type: 'redis',
    address,
    ...(storage.passwordFile !== undefined && { passwordFile: storage.passwordFile }),
    ...(storage.caFile !== undefined && { caFile: storage.caFile }),
    keyPrefix: storage.keyPrefix ?? REDIS_DEFAULTS.keyPrefix,
    timeoutMs: parseDuration(storage.timeout ?? REDIS_DEFAULTS.timeout),
  };
}

function translateBackend({ address, tls, transport }: NonNullable<PolicyServerFile['backend']>): PolicyBackend {
  return {
    address,
    ...(tls !== undefined && { tls: { ...(tls.caFile !== undefined && { caFile: tls.caFile }) } }),
    transport,
  };
}
