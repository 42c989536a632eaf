import { createMatchMeter, type MatchMeter } from '../../config/regex/match-meter.js';
import type { NativeValue } from '../values/native-value.js';
import type { Frame } from './evaluate-node.js';

/** Work of one evaluation, about 70 ms: 8,000 characters with 400 instructions. */
const MAX_EVALUATION_WORK = 4_000_000;

/** The meter of expressions for one request: the work of all its expressions together has the limit of one. */
export function createEvaluationMeter(): MatchMeter {
  return createMatchMeter(MAX_EVALUATION_WORK);
}

/** Makes its parts when they are first needed: most expressions need none. */
export class LazyFrame implements Frame {
  #meter: MatchMeter | undefined;
  #slots: NativeValue[] | undefined;

  constructor(meter: MatchMeter | undefined) {
    this.#meter = meter;
  }

  get meter(): MatchMeter {
    this.#meter ??= createEvaluationMeter();
    return this.#meter;
  }

  get slots(): NativeValue[] {
    this.#slots ??= [];
    return this.#slots;
  }
}
