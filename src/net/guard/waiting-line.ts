/** A part of a budget that waits until there is room for it. */
export interface Waiting {
  /** Waiting parts of a group take turns. */
  readonly group: string;
  /** Address and port, for the log. */
  readonly peer: string;
  readonly amount: number;
  /** There is room: take the amount from the budget now. */
  begin(): void;
}

/** Lines of waiting parts, one for each group, first come first served. */
export class WaitingLine {
  readonly #hasRoom: (waiting: Waiting) => boolean;
  readonly #groups = new Map<string, Set<Waiting>>();

  /** @param hasRoom whether the next one of a group may begin */
  constructor(hasRoom: (waiting: Waiting) => boolean) {
    this.#hasRoom = hasRoom;
  }

  /** @returns whether it began at once */
  enter(waiting: Waiting): boolean {
    const line = this.#groups.get(waiting.group);
    if (line === undefined && this.#hasRoom(waiting)) {
      waiting.begin();
      return true;
    }
    if (line === undefined) this.#groups.set(waiting.group, new Set([waiting]));
    else line.add(waiting);
    return false;
  }

  leave(waiting: Waiting): void {
    const line = this.#groups.get(waiting.group);
    if (line?.delete(waiting) === true && line.size === 0) this.#groups.delete(waiting.group);
  }

  /** Begins the waiting parts of a group, in their order, while there is room. */
  advance(group: string): void {
    for (;;) {
      const first = this.first(group);
      if (first === undefined || !this.#hasRoom(first)) return;
      this.leave(first);
      first.begin();
    }
  }

  first(group: string): Waiting | undefined {
    const [first] = this.#groups.get(group) ?? [];
    return first;
  }

  sizeOf(group: string): number {
    return this.#groups.get(group)?.size ?? 0;
  }

  /** The groups that wait. */
  get groups(): Iterable<string> {
    return this.#groups.keys();
  }
}
