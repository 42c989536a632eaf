import type fc from 'fast-check';

/** A parser that a peer's bytes, texts or objects come to. */
export interface FuzzTarget {
  /** Name of the folder of its cases. */
  readonly name: string;
  /** Gives one case to the parser. Throws what the parser throws, and an error of its own for a result that must not be. */
  readonly run: (input: never) => unknown;
  /** What peers may send. */
  readonly inputs: fc.Arbitrary<unknown>;
  /** Whether the parser throws this error on purpose: its own, typed, with a message for the peer. */
  readonly isRefusal: (error: Error) => boolean;
}

interface TargetParts<Input> {
  readonly inputs: fc.Arbitrary<Input>;
  readonly run: (input: Input) => unknown;
  /** Names of the errors that refuse an input. Default: none, for the parser has another way to refuse. */
  readonly refusals?: readonly string[];
}

export function fuzzTarget<Input>(name: string, { inputs, run, refusals = [] }: TargetParts<Input>): FuzzTarget {
  return { name, inputs, run, isRefusal: (error) => refusals.includes(error.name) };
}
