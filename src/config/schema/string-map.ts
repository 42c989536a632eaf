import type { Static, TSchema, TUnsafe } from 'typebox';
import * as Type from 'typebox';

/**
 * A map with any strings as keys. It uses `additionalProperties`, because a CRD's structural schema has no
 * `patternProperties`, which TypeBox's own Record uses.
 */
export function stringMap<Value extends TSchema>(
  value: Value,
  options: {
    readonly description: string;
    readonly default?: Readonly<Record<string, Static<Value>>>;
    readonly maxProperties?: number;
  },
): TUnsafe<Record<string, Static<Value>>> {
  return Type.Unsafe<Record<string, Static<Value>>>({ type: 'object', additionalProperties: value, ...options });
}
