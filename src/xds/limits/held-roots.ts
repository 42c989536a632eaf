import type { HeldObject } from './held-bytes.js';
import { describeHeld, type HeldRoot } from './held-objects.js';

/**
 * What one stream keeps in memory, told anew whenever it may have changed. Each request and each response is such an
 * occasion, and most of them change one thing or nothing: only what is new is described.
 */
export class HeldRoots {
  #roots: readonly HeldRoot[] = [];
  /** Of the root at the same place. */
  #described: readonly (readonly HeldObject[])[] = [];

  /**
   * @param tell tells everything that the stream keeps
   * @returns all of it, each object as it was returned before; undefined when nothing has changed
   */
  update(tell: (add: (root: HeldRoot) => void) => void): readonly HeldObject[] | undefined {
    const before = this.#roots;
    const roots: HeldRoot[] = [];
    tell((root) => {
      if (!roots.includes(root)) roots.push(root);
    });
    if (roots.length === before.length && roots.every((root, index) => root === before[index])) return undefined;
    const describedBefore = this.#described;
    this.#described = roots.map((root) => describedBefore[before.indexOf(root)] ?? describeHeld(root));
    this.#roots = roots;
    return this.#described.flat();
  }
}
