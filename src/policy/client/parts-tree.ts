/** The values that a pattern references, one text for each reference. All keys of a tree have the same length. */
export type Parts = readonly string[];

interface Leaf<Value> {
  readonly parts: Parts;
  readonly value: Value;
}

/** Keys that differ in one part, by that part. It has two of them at least. */
interface Branch<Value> {
  readonly at: number;
  readonly next: Map<string, Node<Value>>;
}

type Node<Value> = Leaf<Value> | Branch<Value>;

/**
 * A map with lists of texts as keys. Joining the texts would be the largest cost of a lookup. The tree looks up only
 * the parts that distinguish the keys, and compares the rest of the key once.
 */
export class PartsTree<Value> {
  #root: Node<Value> | undefined;

  get isEmpty(): boolean {
    return this.#root === undefined;
  }

  get(parts: Parts): Value | undefined {
    let node = this.#root;
    while (node !== undefined && isBranch(node)) node = node.next.get(partAt(parts, node.at));
    return node !== undefined && firstDifference(node.parts, parts) === -1 ? node.value : undefined;
  }

  set(parts: Parts, value: Value): void {
    this.#root = inserted(this.#root, { parts, value });
  }

  delete(parts: Parts): void {
    this.#root = this.#root && without(this.#root, parts);
  }

  *values(): IterableIterator<Value> {
    const nodes = this.#root === undefined ? [] : [this.#root];
    for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
      if (isBranch(node)) nodes.push(...node.next.values());
      else yield node.value;
    }
  }
}

function isBranch<Value>(node: Node<Value>): node is Branch<Value> {
  return 'next' in node;
}

function inserted<Value>(node: Node<Value> | undefined, leaf: Leaf<Value>): Node<Value> {
  if (node === undefined) return leaf;
  if (isBranch(node)) {
    const part = partAt(leaf.parts, node.at);
    node.next.set(part, inserted(node.next.get(part), leaf));
    return node;
  }
  const at = firstDifference(node.parts, leaf.parts);
  if (at === -1) return leaf;
  const next = new Map<string, Node<Value>>([
    [partAt(node.parts, at), node],
    [partAt(leaf.parts, at), leaf],
  ]);
  return { at, next };
}

/** The node without the key; a branch with one key left gives way to it. */
function without<Value>(node: Node<Value>, parts: Parts): Node<Value> | undefined {
  if (!isBranch(node)) return firstDifference(node.parts, parts) === -1 ? undefined : node;
  const part = partAt(parts, node.at);
  const child = node.next.get(part);
  const left = child && without(child, parts);
  if (left !== undefined) node.next.set(part, left);
  else node.next.delete(part);
  const [only] = node.next.size === 1 ? node.next.values() : [];
  return only ?? node;
}

/** -1 for equal keys. */
function firstDifference(first: Parts, second: Parts): number {
  for (let index = 0; index < first.length; index++) {
    if (first[index] !== second[index]) return index;
  }
  return -1;
}

function partAt(parts: Parts, index: number): string {
  return parts[index] ?? '';
}
