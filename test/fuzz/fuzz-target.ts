import type fc from 'fast-check';

/** A parser of bytes, texts or objects of peers. */
export interface FuzzTarget {
  /** Name of the folder of its cases. */
  readonly name: string;
  /**
   * Parses one case.
   *
   * @throws errors of the parser, or an error about a wrong result
   */
  readonly run: (input: never) => unknown;
  /** Inputs that peers may send. */
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
