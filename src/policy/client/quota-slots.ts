/** Units that were granted, or lent ahead of a grant, together. */
export interface QuotaSlot {
  units: number;
  expiresMs: number;
}

/** Units of one quota that can be used without asking, the oldest first. */
export interface QuotaSlots {
  available(nowMs: number): number;
  /** Adds units that can be used until the given time. */
  add(units: number, expiresMs: number): QuotaSlot;
  /** Takes up to that many units. Returns the number, and the earliest expiry of the units. */
  take(units: number, nowMs: number): QuotaSlot;
}

export function createQuotaSlots(): QuotaSlots {
  let slots: QuotaSlot[] = [];
  const dropUsed = (nowMs: number): void => {
    for (const { units, expiresMs } of slots) {
      if (units > 0 && expiresMs > nowMs) continue;
      slots = slots.filter((slot) => slot.units > 0 && slot.expiresMs > nowMs);
      return;
    }
  };
  return {
    available: (nowMs) => {
      dropUsed(nowMs);
      let sum = 0;
      for (const { units } of slots) sum += units;
      return sum;
    },
    add: (units, expiresMs) => {
      const slot = { units, expiresMs };
      slots.push(slot);
      return slot;
    },
    take: (units, nowMs) => {
      dropUsed(nowMs);
      const used = { units: 0, expiresMs: Number.POSITIVE_INFINITY };
      for (const slot of slots) {
        if (used.units === units) break;
        const part = Math.min(slot.units, units - used.units);
        slot.units -= part;
        used.units += part;
        used.expiresMs = Math.min(used.expiresMs, slot.expiresMs);
      }
      return used;
    },
  };
}
