import { compareAge, compareText } from '../service-order.js';

/** 240.240.i.j with i 0 to 254 and j 1 to 254 (docs/reference/xds.md#sidecar-listeners). */
const LAST_BYTES = 254;
const SLOTS = 255 * LAST_BYTES;

interface Holder {
  readonly key: string;
  readonly createdAt: string;
}

/**
 * Assigns addresses to hosts without one. The address follows from the hash of the host and the set of hosts, not from
 * their order: every replica assigns the same ones, and a new host moves no other. If two hashes collide, the younger
 * host takes the next free address.
 */
export class AutoAddresses {
  readonly #slots = new Map<number, Holder>();
  readonly #slotOf = new Map<string, number>();

  /** Undefined when the key has no address, for example because all are taken. */
  get(key: string): string | undefined {
    const slot = this.#slotOf.get(key);
    return slot === undefined ? undefined : `240.240.${Math.floor(slot / LAST_BYTES)}.${(slot % LAST_BYTES) + 1}`;
  }

  /** @param moved receives the keys whose address changed */
  add(key: string, createdAt: string, moved: Set<string>): void {
    const slot = this.#slotOf.get(key);
    if (slot !== undefined) {
      if (this.#slots.get(slot)?.createdAt === createdAt) return;
      this.remove(key, moved);
    }
    this.#insert({ key, createdAt }, moved);
  }

  /** @param moved receives the keys whose address changed */
  remove(key: string, moved: Set<string>): void {
    const slot = this.#slotOf.get(key);
    if (slot === undefined) return;
    this.#clear(slot, moved);
    // A key behind the gap, without a free slot in between, may have moved because of it.
    const displaced: Holder[] = [];
    for (let next = (slot + 1) % SLOTS; next !== slot; next = (next + 1) % SLOTS) {
      const holder = this.#slots.get(next);
      if (holder === undefined) break;
      displaced.push(holder);
      this.#clear(next, undefined);
    }
    const unmoved = new Map(displaced.map((holder, index) => [holder.key, (slot + 1 + index) % SLOTS]));
    const changed = new Set<string>();
    for (const holder of displaced) this.#insert(holder, changed);
    for (const [other, before] of unmoved) if (this.#slotOf.get(other) !== before) moved.add(other);
  }

  #insert(newcomer: Holder, moved: Set<string>): void {
    if (this.#slots.size >= SLOTS) return;
    let holder = newcomer;
    let slot = homeOf(holder.key);
    for (;;) {
      const other = this.#slots.get(slot);
      if (other === undefined) break;
      if (compareHolders(holder, other) < 0) {
        this.#place(holder, slot, moved);
        holder = other;
      }
      slot = (slot + 1) % SLOTS;
    }
    this.#place(holder, slot, moved);
  }

  #place(holder: Holder, slot: number, moved: Set<string>): void {
    this.#slots.set(slot, holder);
    this.#slotOf.set(holder.key, slot);
    moved.add(holder.key);
  }

  #clear(slot: number, moved: Set<string> | undefined): void {
    const holder = this.#slots.get(slot);
    if (holder === undefined) return;
    this.#slots.delete(slot);
    this.#slotOf.delete(holder.key);
    moved?.add(holder.key);
  }
}

function compareHolders(first: Holder, second: Holder): number {
  return compareAge(first.createdAt, second.createdAt) || compareText(first.key, second.key);
}

/** FNV-1a */
function homeOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return (hash >>> 0) % SLOTS;
}
