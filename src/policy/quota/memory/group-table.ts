import type { CounterId } from '../quota-store.js';
import { type CounterGroup, createCounterGroup } from './counter-group.js';
import type { CounterRoom } from './counter-room.js';

/** The groups of counters, by name and by number. */
export interface GroupTable {
  /** The group of a counter; a new one without counters where there is none. */
  of(counter: CounterId): CounterGroup;
  find(group: string): CounterGroup | undefined;
  /** The name of a charge for its refund: the newest one of the counter; undefined without a counter. */
  refOf(counter: CounterId): string | undefined;
  /** Takes back the amount that a ref names. */
  takeBack(ref: string, ...amounts: RefundAmounts): ReturnType<CounterGroup['takeBack']>;
  keepOnly(groups: ReadonlySet<string>): void;
  clear(): void;
}

type RefundAmounts = Parameters<CounterGroup['takeBack']> extends [string, ...infer Rest] ? Rest : never;

interface NumberedGroup {
  readonly group: CounterGroup;
  readonly number: number;
}

export function createGroupTable(maxCounters: number, room: CounterRoom): GroupTable {
  const byName = new Map<string, NumberedGroup>();
  const byNumber = new Map<number, CounterGroup>();
  let numbers = 0;
  const drop = (name: string, { number, group }: NumberedGroup): void => {
    group.discard();
    byName.delete(name);
    byNumber.delete(number);
  };

  return {
    of: ({ group: name, shape }) => {
      const known = byName.get(name);
      if (known !== undefined) return known.group;
      const group = createCounterGroup(shape, maxCounters, room);
      const number = ++numbers;
      byName.set(name, { group, number });
      byNumber.set(number, group);
      return group;
    },
    find: (name) => byName.get(name)?.group,
    refOf: ({ group: name, key }) => {
      const known = byName.get(name);
      const ref = known?.group.refOf(key);
      return known === undefined || ref === undefined ? undefined : `${known.number}/${ref}`;
    },
    takeBack: (ref, ...amounts) => {
      const [number, ofGroup = ''] = ref.split('/');
      return byNumber.get(Number(number))?.takeBack(ofGroup, ...amounts) ?? 'expired';
    },
    keepOnly: (kept) => {
      for (const [name, group] of byName) if (!kept.has(name)) drop(name, group);
    },
    clear: () => {
      for (const { group } of byName.values()) group.discard();
      byName.clear();
      byNumber.clear();
    },
  };
}
