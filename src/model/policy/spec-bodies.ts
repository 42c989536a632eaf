/** A list of specs, as far as it matters here. */
type Specs<Body> = readonly { readonly body: Body }[];

/** The bodies of lists of specs: equal lists give the very same array, also after their objects were made anew. */
export interface SpecBodies<Body> {
  bodiesOf(specs: Specs<Body>): readonly Body[];
  /** Forgets the lists that were not asked for since the call before. */
  age(): void;
}

export function createSpecBodies<Body extends object>(): SpecBodies<Body> {
  const byList = new WeakMap<Specs<Body>, readonly Body[]>();
  const numbers = new WeakMap<Body, number>();
  let nextNumber = 1;
  let older = new Map<string, readonly Body[]>();
  let younger = new Map<string, readonly Body[]>();

  const numberOf = (body: Body): number => {
    let number = numbers.get(body);
    if (number === undefined) {
      number = nextNumber++;
      numbers.set(body, number);
    }
    return number;
  };
  return {
    bodiesOf: (specs) => {
      const known = byList.get(specs);
      if (known !== undefined) return known;
      const bodies = specs.map(({ body }) => body);
      const key = bodies.map(numberOf).join();
      const kept = younger.get(key) ?? older.get(key) ?? bodies;
      younger.set(key, kept);
      byList.set(specs, kept);
      return kept;
    },
    age: () => {
      older = younger;
      younger = new Map();
    },
  };
}
