/** The peer and the source that take turns. */
export interface TurnOwner {
  readonly peer: string;
  readonly source: string;
}

/** An item that waits for the turn of its peer and source. */
export interface Waiting {
  readonly share: TurnOwner;
}

/**
 * Peers take turns, and within a peer its sources take turns. Items of one source are taken in their order. So the
 * stream of one peer does not wait behind ten thousand streams of another peer.
 */
export class WaitingTargets<Target extends Waiting> {
  /** By peer, then by source; the next one is first. */
  readonly #peers = new Map<string, Map<string, Set<Target>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(target: Target): void {
    const { peer, source } = target.share;
    let sources = this.#peers.get(peer);
    if (sources === undefined) {
      sources = new Map();
      this.#peers.set(peer, sources);
    }
    const targets = sources.get(source);
    if (targets === undefined) sources.set(source, new Set([target]));
    else if (targets.has(target)) return;
    else targets.add(target);
    this.#size++;
  }

  remove(target: Target): boolean {
    const { peer, source } = target.share;
    const sources = this.#peers.get(peer);
    const targets = sources?.get(source);
    if (sources === undefined || targets?.delete(target) !== true) return false;
    this.#size--;
    if (targets.size === 0) sources.delete(source);
    if (sources.size === 0) this.#peers.delete(peer);
    return true;
  }

  /**
   * Takes the next target whose peer and source have room; undefined when none has.
   *
   * @param ofPeer whether a peer has room; called with a share of any of its sources. All peers by default
   * @param ofSource whether a source has room. All sources by default
   */
  take(
    ofPeer: (share: Target['share']) => boolean = () => true,
    ofSource: (share: Target['share']) => boolean = () => true,
  ): Target | undefined {
    for (const [peer, sources] of this.#peers) {
      for (const [source, targets] of sources) {
        const [target] = targets;
        if (target === undefined) continue;
        if (!ofPeer(target.share)) break;
        if (!ofSource(target.share)) continue;
        this.remove(target);
        // The peer and the source go to the end of their lists.
        if (targets.size > 0) moveToEnd(sources, source, targets);
        if (sources.size > 0) moveToEnd(this.#peers, peer, sources);
        return target;
      }
    }
    return undefined;
  }

  clear(): void {
    this.#peers.clear();
    this.#size = 0;
  }
}

function moveToEnd<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
}
