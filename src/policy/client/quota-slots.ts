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
  /** Uses up to that many units; returns how many there were, and when the first of them would have expired. */
  take(units: number, nowMs: number): QuotaSlot;
}

export function createQuotaSlots(): QuotaSlots {
  let slots: QuotaSlot[] = [];
  const dropUsed = (nowMs: number): void => {
    if (slots.some(({ units, expiresMs }) => units === 0 || expiresMs <= nowMs)) {
      slots = slots.filter(({ units, expiresMs }) => units > 0 && expiresMs > nowMs);
    }
  };
  return {
    available: (nowMs) => {
      dropUsed(nowMs);
      return slots.reduce((sum, { units }) => sum + units, 0);
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
