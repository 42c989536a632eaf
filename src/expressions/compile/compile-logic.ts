import { Failure } from '../values/failure.js';
import type { EvaluateNode } from './evaluate-node.js';

/** `&&` and `||` of `legacy`: from left to right, and a failure on the left is the result. */
export function compileOrderedLogic(decisive: boolean, left: EvaluateNode, right: EvaluateNode): EvaluateNode {
  return (bag, frame) => {
    const first = left(bag, frame);
    return first instanceof Failure || first === decisive ? first : right(bag, frame);
  };
}

/** `&&` and `||` of CEL: a side that decides the result hides a failure of the other side. */
export function compileCommutativeLogic(decisive: boolean, left: EvaluateNode, right: EvaluateNode): EvaluateNode {
  return (bag, frame) => {
    const first = left(bag, frame);
    if (first === decisive) return first;
    const second = right(bag, frame);
    return first instanceof Failure && second !== decisive ? first : second;
  };
}

export function compileConditional(condition: EvaluateNode, ifTrue: EvaluateNode, ifFalse: EvaluateNode): EvaluateNode {
  return (bag, frame) => {
    const chosen = condition(bag, frame);
    if (chosen instanceof Failure) return chosen;
    return chosen === true ? ifTrue(bag, frame) : ifFalse(bag, frame);
  };
}
