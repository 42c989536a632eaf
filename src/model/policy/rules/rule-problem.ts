import type { ObjectKey } from '../../../config/object.js';
import type { Violation } from '../../../config/violation.js';
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
