/** An object that streams keep in memory, and its size. Several streams may keep the same object. */
export interface HeldObject {
  readonly object: object;
  /** Size of the object without its parts. */
  readonly bytes: number;
  /** The parts that the object shares with other objects; the same at every call. */
  parts?(): Iterable<HeldObject>;
}

interface Count {
  holders: number;
  readonly bytes: number;
}

/** Counts the bytes of the objects that peers hold: an object that several of them hold counts once. */
export class HeldByAll {
  readonly #counts = new Map<object, Count>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** One more peer holds the object. */
  add(object: object, bytes: number): void {
    const known = this.#counts.get(object);
    if (known !== undefined) known.holders++;
    else {
      this.#counts.set(object, { holders: 1, bytes });
      this.#total += bytes;
    }
  }

  /** A peer no longer holds the object. */
  remove(object: object): void {
    const known = this.#counts.get(object);
    if (known === undefined) return;
    known.holders--;
    if (known.holders > 0) return;
    this.#counts.delete(object);
    this.#total -= known.bytes;
  }
}

/** Counts the bytes of objects that the streams of one peer hold: an object that several of them hold counts once. */
export class HeldBytes {
  readonly #counts = new Map<object, Count>();
  readonly #all: HeldByAll;
  #total = 0;

  /** @param all is told of each object that this peer begins or ceases to hold */
  constructor(all: HeldByAll) {
    this.#all = all;
  }

  get total(): number {
    return this.#total;
  }

  add(held: HeldObject): void {
    const { object, bytes } = held;
    const known = this.#counts.get(object);
    if (known !== undefined) {
      known.holders++;
      return;
    }
    this.#counts.set(object, { holders: 1, bytes });
    this.#total += bytes;
    this.#all.add(object, bytes);
    for (const part of held.parts?.() ?? []) this.add(part);
  }

  remove(held: HeldObject): void {
    const { object } = held;
    const known = this.#counts.get(object);
    if (known === undefined) return;
    known.holders--;
    if (known.holders > 0) return;
    this.#counts.delete(object);
    this.#total -= known.bytes;
    this.#all.remove(object);
    for (const part of held.parts?.() ?? []) this.remove(part);
  }
}
