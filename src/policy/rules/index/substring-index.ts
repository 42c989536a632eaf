/** A state: the texts that end in it, and where each next character leads. */
interface State<Value> {
  readonly next: Map<number, State<Value>>;
  /** The state of the longest proper suffix of this state's text. */
  suffix: State<Value> | undefined;
  /** The nearest state on the chain of suffixes that has a number. */
  found: State<Value> | undefined;
  /** Of the text that ends here. */
  number: number | undefined;
  value: Value | undefined;
}

/**
 * Finds which texts are parts of another text, in time linear in that text and in what is found: the algorithm of Aho and
 * Corasick.
 */
export class SubstringIndex<Value> {
  readonly #start: State<Value> = emptyState();
  /** The search in which each text was found last. */
  readonly #foundIn: Uint32Array;
  #search = 0;

  /** @param texts not empty */
  constructor(texts: ReadonlyMap<string, Value>) {
    let number = 0;
    for (const [text, value] of texts) {
      const end = this.#stateOf(text);
      end.number = number++;
      end.value = value;
    }
    this.#foundIn = new Uint32Array(number);
    this.#linkSuffixes();
  }

  /** Calls `visit` once for each text that is a part of `whole`. */
  visit(whole: string, visit: (value: Value) => void): void {
    this.#begin();
    let state = this.#start;
    for (let index = 0; index < whole.length; index++) {
      state = step(state, whole.charCodeAt(index)) ?? this.#start;
      for (let end = state.number === undefined ? state.found : state; end !== undefined; end = end.found) {
        const { number = 0, value } = end;
        // Those on its chain were found with it.
        if (this.#foundIn[number] === this.#search) break;
        this.#foundIn[number] = this.#search;
        if (value !== undefined) visit(value);
      }
    }
  }

  #begin(): void {
    this.#search++;
    if (this.#search <= 0xffff_ffff) return;
    this.#foundIn.fill(0);
    this.#search = 1;
  }

  #stateOf(text: string): State<Value> {
    let state = this.#start;
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      const next = state.next.get(unit) ?? emptyState<Value>();
      state.next.set(unit, next);
      state = next;
    }
    return state;
  }

  /** States of shorter texts come first, because the suffix of a state is shorter. */
  #linkSuffixes(): void {
    const queue = [this.#start];
    for (const state of queue) {
      for (const [unit, next] of state.next) {
        const suffix = (state.suffix === undefined ? undefined : step(state.suffix, unit)) ?? this.#start;
        next.suffix = suffix;
        next.found = suffix.number === undefined ? suffix.found : suffix;
        queue.push(next);
      }
    }
  }
}

function emptyState<Value>(): State<Value> {
  return { next: new Map(), suffix: undefined, found: undefined, number: undefined, value: undefined };
}

/** The state after one more character; undefined if no text continues so. */
function step<Value>(state: State<Value>, unit: number): State<Value> | undefined {
  for (let from: State<Value> | undefined = state; from !== undefined; from = from.suffix) {
    const next = from.next.get(unit);
    if (next !== undefined) return next;
  }
  return undefined;
}
