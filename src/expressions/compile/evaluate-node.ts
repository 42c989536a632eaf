import type { MatchMeter } from '../../config/regex/match-meter.js';
import type { AttributeReader } from '../expression-types.js';
import { Failure, type Outcome } from '../values/failure.js';
import type { NativeValue } from '../values/native-value.js';

/** What one evaluation needs besides the attributes. */
export interface Frame {
  readonly meter: MatchMeter;
  /** Values of the variables of macros, by slot. */
  readonly slots: NativeValue[];
}

/** A compiled part of an expression. */
export type EvaluateNode = (bag: AttributeReader, frame: Frame) => Outcome;

/** The result of a part before `|` whose attribute or entry the request lacks. */
export const MISSING = new Failure('the request has no value', 'absent');
