import { type BudgetHolder, SharedBudget, type SharedBudgetLimits } from './shared-budget.js';
import { type Waiting, WaitingLine } from './waiting-line.js';

/**
 * The part of an address's bytes for messages that have their turn. The other part is for what peers send without
 * permission: the first bytes of streams.
 */
const PART_OF_TURNS = 3 / 8;

/**
 * The bytes of incomplete messages of all addresses. Long messages and connections for which their address has no room
 * wait. A message takes its whole announced length at its turn, so that it can be completed. Eviction is for peers that
 * open more streams on their connections than there is room for.
 */
export class AddressShares<Holder extends BudgetHolder> {
  readonly #onDelayed: (waiting: Waiting) => void;
  readonly #budget: SharedBudget<Holder>;
  readonly #messages: WaitingLine;
  readonly #connections: WaitingLine;
  /** Announced bytes of the messages that have their turn, by address. */
  readonly #begun = new Map<string, number>();
  /** Addresses whose holders have released bytes. */
  readonly #freed = new Set<string>();

  /**
   * @param evict called with a holder after its amount was removed
   * @param onDelayed called for the first one of an address that has to wait
   */
  constructor(
    limits: SharedBudgetLimits,
    evict: (holder: Holder, over: 'all' | 'group') => void,
    onDelayed: (waiting: Waiting) => void,
  ) {
    this.#onDelayed = onDelayed;
    this.#budget = new SharedBudget(limits, evict);
    const turns = limits.maxPerGroup * PART_OF_TURNS;
    const others = limits.maxPerGroup - turns;
    const begun = (group: string): number => this.#begun.get(group) ?? 0;
    // A message that is longer than the whole part has its turn alone.
    this.#messages = new WaitingLine(({ group, amount }) => begun(group) === 0 || begun(group) + amount <= turns);
    this.#connections = new WaitingLine(
      ({ group, amount }) => this.#budget.amountOf(group) - begun(group) + amount <= others,
    );
  }

  /** @param amount total that the holder has from now on; 0 releases it */
  set(holder: Holder, amount: number): void {
    this.#budget.set(holder, amount);
    if (amount === 0) this.#advanceSoon(holder.group);
  }

  /** Waits until the rest of a message may arrive. @returns whether it may at once */
  waitForMessage(waiting: Waiting): boolean {
    return this.#enter(this.#messages, waiting);
  }

  /** Waits until a connection may be read. */
  waitForConnection(waiting: Waiting): void {
    this.#enter(this.#connections, waiting);
  }

  /** Ends the waiting. */
  leave(waiting: Waiting): void {
    this.#messages.leave(waiting);
    this.#connections.leave(waiting);
    this.#advanceSoon(waiting.group);
  }

  /** A message has its turn. */
  begun(group: string, announced: number): void {
    this.#begun.set(group, (this.#begun.get(group) ?? 0) + announced);
  }

  /** A message that had its turn is complete, or has ended. */
  ended(group: string, announced: number): void {
    const others = (this.#begun.get(group) ?? 0) - announced;
    if (others > 0) this.#begun.set(group, others);
    else this.#begun.delete(group);
    this.#advanceSoon(group);
  }

  /** Connections of an address that wait. */
  waitingConnections(group: string): number {
    return this.#connections.sizeOf(group);
  }

  /** The holders of addresses for which something waits, those of one address in the order in which they began. */
  *inDemand(): Iterable<Holder> {
    for (const group of new Set([...this.#messages.groups, ...this.#connections.groups])) {
      yield* this.#budget.holdersOf(group);
    }
  }

  #enter(line: WaitingLine, waiting: Waiting): boolean {
    if (line.enter(waiting)) return true;
    if (line.sizeOf(waiting.group) === 1) this.#onDelayed(waiting);
    return false;
  }

  /** Many holders release their parts in one turn of the event loop. */
  #advanceSoon(group: string): void {
    if (this.#messages.sizeOf(group) + this.#connections.sizeOf(group) === 0) return;
    if (this.#freed.size === 0) setImmediate(() => this.#advance());
    this.#freed.add(group);
  }

  #advance(): void {
    const groups = [...this.#freed];
    this.#freed.clear();
    for (const group of groups) {
      this.#messages.advance(group);
      this.#connections.advance(group);
    }
  }
}
