/** A holder of a part of a budget. */
export interface BudgetHolder {
  /** Holders of the same group share the smaller budget of the group. */
  readonly group: string;
}

export interface SharedBudgetLimits {
  readonly max: number;
  readonly maxPerGroup: number;
}

interface Group<Holder> {
  amount: number;
  /** In the order in which they began to hold an amount. */
  readonly holders: Map<Holder, number>;
}

/**
 * An amount that holders share, in groups. When it is used up, the oldest holder is evicted: of the group that exceeds
 * its part, else of the largest group. A holder that needs its part only briefly is never the oldest, so long-lived
 * holders cannot displace it.
 */
export class SharedBudget<Holder extends BudgetHolder> {
  readonly #limits: SharedBudgetLimits;
  readonly #evict: (holder: Holder, over: 'all' | 'group') => void;
  readonly #groups = new Map<string, Group<Holder>>();
  #amount = 0;

  /** @param evict called with a holder after its amount was removed */
  constructor(limits: SharedBudgetLimits, evict: (holder: Holder, over: 'all' | 'group') => void) {
    this.#limits = limits;
    this.#evict = evict;
  }

  get amount(): number {
    return this.#amount;
  }

  amountOf(group: string): number {
    return this.#groups.get(group)?.amount ?? 0;
  }

  /** The holders of a group, the oldest first. */
  holdersOf(group: string): Iterable<Holder> {
    return this.#groups.get(group)?.holders.keys() ?? [];
  }

  /** @param amount total that the holder has from now on; 0 releases it */
  set(holder: Holder, amount: number): void {
    const before = this.#groups.get(holder.group)?.holders.get(holder) ?? 0;
    if (amount === before) return;
    if (amount === 0) {
      this.#remove(holder);
      return;
    }
    const group = this.#groupOf(holder.group);
    group.holders.set(holder, amount);
    group.amount += amount - before;
    this.#amount += amount - before;
    if (amount > before) this.#evictOver(group);
  }

  #evictOver(group: Group<Holder>): void {
    while (group.amount > this.#limits.maxPerGroup) this.#evictOldest(group, 'group');
    while (this.#amount > this.#limits.max) this.#evictOldest(this.#largest(), 'all');
  }

  #evictOldest(group: Group<Holder>, over: 'all' | 'group'): void {
    const [oldest] = group.holders.keys();
    if (oldest === undefined) return;
    this.#remove(oldest);
    this.#evict(oldest, over);
  }

  #largest(): Group<Holder> {
    let largest: Group<Holder> | undefined;
    for (const group of this.#groups.values()) {
      if (largest === undefined || group.amount > largest.amount) largest = group;
    }
    if (largest === undefined) throw new Error('a budget without groups is not used up');
    return largest;
  }

  #groupOf(name: string): Group<Holder> {
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const group: Group<Holder> = { amount: 0, holders: new Map() };
    this.#groups.set(name, group);
    return group;
  }

  #remove(holder: Holder): void {
    const group = this.#groups.get(holder.group);
    const amount = group?.holders.get(holder);
    if (group === undefined || amount === undefined) return;
    group.holders.delete(holder);
    group.amount -= amount;
    this.#amount -= amount;
    if (group.holders.size === 0) this.#groups.delete(holder.group);
  }
}
