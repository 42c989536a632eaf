import {
  type ActionOutput,
  actionOutputs,
  outputTypes,
  withOutputs,
} from '../../../config/policy-rules/action-outputs.js';
import { HEADER_FIELDS, headerViolations } from '../../../config/policy-rules/header-operation-rules.js';
import { formatFinding } from '../../../config/violation.js';
import type { CompiledExpression } from '../../../expressions/compile-expression.js';
import type { AttributeTypes } from '../../../expressions/expression-types.js';
import type { RuleObject } from '../rule-objects.js';

/** A header operation of a rule, ready to be applied to requests. */
export interface CompiledHeaderOperation {
  readonly direction: 'request' | 'response';
  /** In lower case. */
  readonly name: string;
  readonly operation: 'REPLACE' | 'REMOVE' | 'APPEND';
  readonly values: readonly CompiledExpression[];
}

export interface CompiledHeaders {
  /** In the order of the rule, those of requests first. */
  readonly operations: readonly CompiledHeaderOperation[];
  /** Those that operations read. Of several ones with the same name, the first one counts. */
  readonly outputs: readonly ActionOutput[];
}

/**
 * Compiles the header operations of a rule; undefined for a rule without any. An operation that validation or analysis
 * rejects is left out.
 *
 * @param compile throws for an expression that cannot be used
 * @param leftOut gets the problem of an operation
 */
export function compileHeaderOperations(
  rule: RuleObject,
  compile: (text: string, attributes: AttributeTypes) => CompiledExpression,
  leftOut: (text: string) => void,
): CompiledHeaders | undefined {
  const { spec, actions } = rule;
  if (HEADER_FIELDS.every((field) => spec[field].length === 0)) return undefined;
  const outputs = actionOutputs(actions);
  const attributes = withOutputs(rule.attributes, outputTypes(outputs));
  const operations: CompiledHeaderOperation[] = [];
  for (const field of HEADER_FIELDS) {
    const direction = field === 'requestHeaderOperations' ? 'request' : 'response';
    for (const [index, written] of spec[field].entries()) {
      const path = `${field}[${index}]`;
      const { name, operation, values } = written;
      const [violation] = headerViolations(path, field, written);
      if (violation !== undefined) {
        leftOut(formatFinding(violation));
        continue;
      }
      try {
        const compiled = values.map((text) => compile(text, attributes));
        operations.push({ direction, name: name.toLowerCase(), operation, values: compiled });
      } catch (error) {
        leftOut(`${path}: ${error instanceof Error ? error.message : 'cannot be compiled'}`);
      }
    }
  }
  const read = new Set(operations.flatMap(({ values }) => values.flatMap(({ reads }) => reads)));
  return { operations, outputs: outputs.filter(({ name }) => read.has(name)) };
}
