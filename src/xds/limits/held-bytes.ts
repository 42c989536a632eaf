/** Something that a stream keeps in memory, and its size. Streams may keep the very same object. */
export interface HeldObject {
  readonly object: object;
  /** Of the object itself. */
  readonly bytes: number;
  /** What it is made of and shares with other objects; equal at every call. */
  parts?(): Iterable<HeldObject>;
}

interface Count {
  streams: number;
  readonly bytes: number;
}

/** Counts the bytes of objects that streams hold: an object that several of them hold counts once. */
export class HeldBytes {
  readonly #counts = new Map<object, Count>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  add(held: HeldObject): void {
    const { object, bytes } = held;
    const known = this.#counts.get(object);
    if (known !== undefined) {
      known.streams++;
      return;
    }
    this.#counts.set(object, { streams: 1, bytes });
    this.#total += bytes;
    for (const part of held.parts?.() ?? []) this.add(part);
  }

  remove(held: HeldObject): void {
    const { object } = held;
    const known = this.#counts.get(object);
    if (known === undefined) return;
    known.streams--;
    if (known.streams > 0) return;
    this.#counts.delete(object);
    this.#total -= known.bytes;
    for (const part of held.parts?.() ?? []) this.remove(part);
  }
}
