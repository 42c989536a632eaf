import type { ObjectKey } from '../../../config/object.js';
import { shownFinding, type Violation } from '../../../config/violation.js';
import type { Resolution } from './resolve-reference.js';

/** Why a part of an object of the policy runtime has no effect. Fields are below `spec`. */
export type RuleProblem =
  | {
      readonly type: 'reference';
      readonly field: string;
      readonly resolution: Exclude<Resolution, { readonly type: 'found' }>;
    }
  | {
      /** The adapter of the handler does not take the template of the instance. */
      readonly type: 'template';
      readonly field: string;
      readonly handler: ObjectKey;
      readonly adapter: string;
      readonly instance: ObjectKey;
      readonly template: string;
    }
  | {
      /** An expression is wrong with the attributes of mesh and manifests. */
      readonly type: 'expression';
      readonly field: string;
      readonly text: string;
    }
  | {
      /** A parameter or field does not fit the adapter or template that the object names. */
      readonly type: 'misfit';
      readonly field: string;
      readonly text: string;
    }
  | {
      /** A named object has problems of its own, so it is not used. */
      readonly type: 'unusable';
      readonly field: string;
      readonly key: ObjectKey;
    }
  | {
      readonly type: 'without effect';
      readonly field: string;
      readonly text: string;
    };

/** The problem of a wrong expression, as a text without its field. */
export function expressionProblem({ path, value, message }: Violation): RuleProblem {
  return { type: 'expression', field: path, text: `${JSON.stringify(value)} ${message}` };
}

/** The problem of a parameter or field, as a text without its field. */
export function misfitProblem(violation: Violation): RuleProblem {
  const { path, remedy } = violation;
  return { type: 'misfit', field: path, text: `${shownFinding(violation)}: ${remedy}` };
}
