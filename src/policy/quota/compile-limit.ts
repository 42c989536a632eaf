import type { QuotaLimit } from '../../config/policy-server/policy-server-config.js';
import type { AttributeBag } from '../client/attribute-bag.js';
import type { ReferencedAttributes } from '../client/referenced-attributes.js';
import { boundedText, dimensionText, sized } from './dimension-text.js';
import { createKnownKeys, type KnownKeys, type ReadKeyFile } from './known-keys.js';
import { createOverrideIndex } from './override-index.js';
import type { CounterId } from './quota-store.js';
import { type WindowShape, windowShape } from './window-shape.js';

/** The limit that holds for a request. */
export interface ResolvedLimit {
  readonly maxAmount: number;
  readonly counter: CounterId;
  /** The attributes that selected the limit, so that a client knows the requests that may use its grants. */
  readonly referenced: ReferencedAttributes;
}

/** A limit, prepared for lookups. */
export interface CompiledLimit {
  resolve(bag: AttributeBag): ResolvedLimit;
  /** The known keys; missing when every key is counted. */
  readonly keys?: KnownKeys;
  /** The groups of all its counters. */
  readonly groups: readonly string[];
}

/** Counters of a quota that count alike. */
export interface LimitVariant {
  readonly maxAmount: number;
  readonly group: string;
  readonly shape: WindowShape;
}

/** @param readKeyFile for a limit with a list of keys */
export function compileLimit(limit: QuotaLimit, readKeyFile: ReadKeyFile = noKeyFiles): CompiledLimit {
  const { dimensions, overrides } = limit;
  const own = variantOf(limit, limit);
  const variants = new Map(overrides.map((override) => [override, variantOf(limit, override)]));
  const findOverride = overrides.length === 0 ? undefined : createOverrideIndex(limit);
  const referencedByPresence = new Map<number, ReferencedAttributes>();

  const referencedFor = (presence: number): ReferencedAttributes => {
    const known = referencedByPresence.get(presence);
    if (known !== undefined) return known;
    const referenced = dimensions.map(({ attribute, mapKey }, place) => ({
      name: attribute,
      ...(mapKey !== undefined && { mapKey }),
      condition: (presence >> place) & 1 ? ('EXACT' as const) : ('ABSENCE' as const),
    }));
    referencedByPresence.set(presence, referenced);
    return referenced;
  };

  return {
    ...(limit.keys && { keys: createKnownKeys(limit.keys, readKeyFile) }),
    groups: [...new Set([own, ...variants.values()].map(({ group }) => group))],
    resolve: (bag) => {
      let presence = 0;
      let key = '';
      const values: string[] = [];
      for (const dimension of dimensions) {
        const text = dimensionText(dimension, bag);
        if (text !== undefined) presence |= 1 << values.length;
        const value = text ?? '';
        values.push(value);
        key += sized(value);
      }
      const override = findOverride?.(values);
      const { maxAmount, group, shape } = (override && variants.get(override)) ?? own;
      return { maxAmount, counter: { group, key: boundedText(key), shape }, referenced: referencedFor(presence) };
    },
  };
}

function noKeyFiles(file: string): never {
  throw new Error(`${file}: key files cannot be read here`);
}

/** The own counters of a limit, then those of overrides with other durations. */
export function variantsOf(limit: QuotaLimit): readonly LimitVariant[] {
  const all = [variantOf(limit, limit), ...limit.overrides.map((override) => variantOf(limit, override))];
  return [...new Map(all.map((variant) => [variant.group, variant])).values()];
}

/**
 * The members that make counts comparable: counting begins again when one of them changes. The amount is not one of
 * them.
 */
function variantOf(
  { name, window, dimensions }: QuotaLimit,
  { maxAmount, validDurationMs }: Pick<QuotaLimit, 'maxAmount' | 'validDurationMs'>,
): LimitVariant {
  const group = [name, window, String(validDurationMs), ...dimensions.map(({ text }) => text)].map(sized).join('');
  return { maxAmount, group, shape: windowShape(window, validDurationMs) };
}
