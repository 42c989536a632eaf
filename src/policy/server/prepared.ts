import type { SharedProgram } from '../../config/regex/regex-programs.js';
import type { PacedWork, StepwiseWork } from './paced-work.js';
import { compilePrograms } from './prepare-policies.js';

/** What is compiled when it is needed first, and again where its programs had to go for others. */
export interface Prepared<Value> {
  /** At once where little or nothing has to be compiled. */
  ready(): Value | Promise<Value>;
}

/** @param prepare makes the value; it is called once */
export function createPrepared<Value>(
  work: PacedWork,
  owner: string,
  prepare: () => StepwiseWork<Value>,
  programsOf: (value: Value) => readonly SharedProgram[],
): Prepared<Value> {
  let prepared: { readonly value: Value; readonly programs: readonly SharedProgram[] } | undefined;
  let pending: Promise<Value> | undefined;

  function* steps(): StepwiseWork<Value> {
    if (prepared === undefined) {
      const value = yield* prepare();
      prepared = { value, programs: programsOf(value) };
    }
    yield* compilePrograms(prepared.programs.filter((program) => !program.isCompiled()));
    return prepared.value;
  }
  return {
    ready: () => {
      if (prepared?.programs.every((program) => program.isCompiled())) return prepared.value;
      if (pending !== undefined) return pending;
      const result = work.run(owner, steps());
      if (!(result instanceof Promise)) return result;
      pending = result.finally(() => {
        pending = undefined;
      });
      return pending;
    },
  };
}
