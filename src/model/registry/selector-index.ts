import { addTo, removeFrom } from '../../base/set-map.js';

type Labels = Readonly<Record<string, string>>;

interface Labelled {
  readonly namespace: string;
  readonly labels: Labels;
}

interface Selector extends Labelled {
  /** The label pair that indexes the selector: its rarest one at the time of insertion. */
  readonly pair: string;
}

/**
 * Matches label selectors with labelled members of the same namespace, in both directions, without a scan of either. An
 * empty selector matches nothing.
 */
export class SelectorIndex {
  readonly #members = new Map<string, Labelled>();
  readonly #membersByPair = new Map<string, Set<string>>();
  readonly #selectors = new Map<string, Selector>();
  readonly #selectorsByPair = new Map<string, Set<string>>();
  /** Label keys of selectors: members are indexed by these alone. */
  readonly #keys = new Set<string>();

  /** @returns the selectors that match the member now or matched it before */
  setMember(id: string, namespace: string, labels: Labels): ReadonlySet<string> {
    const concerned = this.deleteMember(id);
    const member = { namespace, labels };
    this.#members.set(id, member);
    for (const key of this.#keys) this.#indexMember(id, member, key);
    this.#addMatching(member, concerned);
    return concerned;
  }

  /** @returns the selectors that matched it */
  deleteMember(id: string): Set<string> {
    const concerned = new Set<string>();
    const member = this.#members.get(id);
    if (member === undefined) return concerned;
    this.#addMatching(member, concerned);
    this.#members.delete(id);
    for (const key of this.#keys) {
      const value = member.labels[key];
      if (value !== undefined) removeFrom(this.#membersByPair, pairOf(member.namespace, key, value), id);
    }
    return concerned;
  }

  setSelector(id: string, namespace: string, labels: Labels): void {
    this.deleteSelector(id);
    let pair: string | undefined;
    let rarest = Number.POSITIVE_INFINITY;
    for (const [key, value] of Object.entries(labels)) {
      this.#indexKey(key);
      const candidate = pairOf(namespace, key, value);
      const others = this.#selectorsByPair.get(candidate)?.size ?? 0;
      if (others < rarest) [pair, rarest] = [candidate, others];
    }
    if (pair === undefined) return;
    this.#selectors.set(id, { namespace, labels, pair });
    addTo(this.#selectorsByPair, pair, id);
  }

  deleteSelector(id: string): void {
    const selector = this.#selectors.get(id);
    if (selector === undefined) return;
    this.#selectors.delete(id);
    removeFrom(this.#selectorsByPair, selector.pair, id);
  }

  /** The selectors that match the member. */
  selectorsOf(memberId: string): ReadonlySet<string> {
    const found = new Set<string>();
    const member = this.#members.get(memberId);
    if (member !== undefined) this.#addMatching(member, found);
    return found;
  }

  /** Ids of the members that the selector matches, sorted. */
  match(selectorId: string): readonly string[] {
    const selector = this.#selectors.get(selectorId);
    if (selector === undefined) return [];
    let smallest: ReadonlySet<string> | undefined;
    for (const [key, value] of Object.entries(selector.labels)) {
      const candidates = this.#membersByPair.get(pairOf(selector.namespace, key, value));
      if (candidates === undefined) return [];
      if (smallest === undefined || candidates.size < smallest.size) smallest = candidates;
    }
    return [...(smallest ?? [])].filter((id) => matches(selector.labels, this.#members.get(id)?.labels ?? {})).sort();
  }

  #addMatching(member: Labelled, found: Set<string>): void {
    for (const key of this.#keys) {
      const value = member.labels[key];
      if (value === undefined) continue;
      for (const id of this.#selectorsByPair.get(pairOf(member.namespace, key, value)) ?? []) {
        const selector = this.#selectors.get(id);
        if (selector !== undefined && matches(selector.labels, member.labels)) found.add(id);
      }
    }
  }

  #indexKey(key: string): void {
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    for (const [id, member] of this.#members) this.#indexMember(id, member, key);
  }

  #indexMember(id: string, { namespace, labels }: Labelled, key: string): void {
    const value = labels[key];
    if (value !== undefined) addTo(this.#membersByPair, pairOf(namespace, key, value), id);
  }
}

function pairOf(namespace: string, key: string, value: string): string {
  return `${namespace}\n${key}\n${value}`;
}

function matches(selector: Labels, labels: Labels): boolean {
  for (const key in selector) if (labels[key] !== selector[key]) return false;
  return true;
}
