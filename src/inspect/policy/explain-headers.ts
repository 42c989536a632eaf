import { actionOutputs, outputTypes } from '../../config/policy-rules/action-outputs.js';
import type { CompiledExpression } from '../../expressions/compile-expression.js';
import type { AttributeTypes } from '../../expressions/expression-types.js';
import type { ResolvedRule } from '../../model/policy/rules/resolved-objects.js';
import type { AttributeBag } from '../../policy/client/attribute-bag.js';
import {
  type CompiledHeaderOperation,
  compileHeaderOperations,
} from '../../policy/rules/headers/compile-header-operations.js';

/** A header that a rule changes. */
export interface ExplainedHeader {
  readonly of: CompiledHeaderOperation['direction'];
  readonly operation: CompiledHeaderOperation['operation'];
  /** In lower case. */
  readonly name: string;
  /** For people: `sets the request header x-plan to "gold"`. Values that are not known without the handler are in parentheses. */
  readonly text: string;
}

/** The changes of headers by a rule, as far as they are known without its handlers. */
export function explainHeaders(
  rule: ResolvedRule,
  bag: AttributeBag,
  compile: (text: string, attributes: AttributeTypes) => CompiledExpression,
): readonly ExplainedHeader[] {
  const outputs = outputTypes(actionOutputs(rule.actions));
  const operations = compileHeaderOperations(rule, compile, () => undefined)?.operations ?? [];
  return operations.map(({ direction, operation, name, values }) => ({
    of: direction,
    operation,
    name,
    text: textOf(direction, operation, name, values.map((value) => valueText(value, bag, outputs)).join(', ')),
  }));
}

function textOf(of: string, operation: ExplainedHeader['operation'], name: string, values: string): string {
  const header = `the ${of} header ${name}`;
  switch (operation) {
    case 'REMOVE':
      return `removes ${header}`;
    case 'APPEND':
      return `appends ${values} to ${header}`;
    case 'REPLACE':
      return `sets ${header} to ${values}`;
  }
}

function valueText(value: CompiledExpression, bag: AttributeBag, outputs: ReadonlyMap<string, unknown>): string {
  const read = value.reads.find((name) => outputs.has(name));
  if (read !== undefined) return `(${read} of the handler)`;
  const result = value.evaluate(bag);
  if (result.type === 'error') return `(${result.message})`;
  return JSON.stringify(result.value.type === 'string' ? result.value.value : '');
}
