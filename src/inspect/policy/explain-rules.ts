import type { ObjectKey } from '../../config/object.js';
import { referenceForms } from '../../config/policy-rules/object-reference.js';
import { createRegexPrograms, type RegexPrograms } from '../../config/regex/regex-programs.js';
import { createEvaluationMeter } from '../../expressions/compile/lazy-frame.js';
import { compileExpression } from '../../expressions/compile-expression.js';
import type { AttributeTypes, ExpressionLanguage } from '../../expressions/expression-types.js';
import { createAuthorizationJudge } from '../../generators/authorization/authorization-judge.js';
import type { ResolvedHandler, ResolvedInstance, ResolvedRule } from '../../model/policy/rules/resolved-objects.js';
import { compileRules } from '../../model/policy/rules/rule-set.js';
import type { PushContext } from '../../model/push-context.js';
import type { AttributeBag } from '../../policy/client/attribute-bag.js';
import { denialResponse, type PolicyStatus } from '../../policy/client/policy-status.js';
import { predictCheck } from '../../policy/rules/adapters/predict-check.js';
import { predictQuota } from '../../policy/rules/adapters/predict-quota.js';
import type { FoundAmount } from '../../policy/rules/adapters/quota-adapter.js';
import { compileInstance } from '../../policy/rules/compile-instance.js';
import { type ExplainedHeader, explainHeaders } from './explain-headers.js';

/** What the rules of a service do with a request. */
export interface ExplainedRules {
  /** In the order in which they are applied. */
  readonly matching: readonly ExplainedRule[];
  readonly unmatched: readonly UnmatchedRule[];
}

/** A rule of the service whose condition is false. */
export interface UnmatchedRule {
  readonly object: ObjectKey;
  readonly match: string;
}

export interface ExplainedRule {
  readonly object: ObjectKey;
  /** Why the condition cannot be evaluated with what is known about the request; undefined if it is true. */
  readonly open?: string;
  readonly calls: readonly ExplainedCall[];
  /** Whether its decisions have no effect. */
  readonly isDryRun?: true;
  /** Changes of headers, of a request that passes. */
  readonly headers: readonly ExplainedHeader[];
}

export interface ExplainedCall {
  readonly handler: ObjectKey;
  readonly instance: ObjectKey;
  readonly variety: 'check' | 'quota' | 'report';
  /** The answer of a check; undefined if only the running handler can give it. */
  readonly answer?: ExplainedCheck;
  /** What a handler that counts has for this request; undefined if it has none, or only the running handler knows. */
  readonly limit?: CountedLimit;
  /** Why the instance cannot be made of what is known about the request. */
  readonly open?: string;
}

export interface ExplainedCheck {
  /** HTTP status; 200 for a request that passes. */
  readonly status: number;
  readonly message: string;
}

export interface CountedLimit {
  readonly maxAmount: number;
  readonly validDurationMs: number;
  /** The counter of this request: dimensions with their values. */
  readonly counter: Readonly<Record<string, string>>;
}

/** Applies the rules of a snapshot to a request, without calling anything outside this process. */
export function explainRules(
  context: Pick<PushContext, 'objects' | 'bindingGrants' | 'mesh'>,
  namespace: string,
  bag: AttributeBag,
  language: ExpressionLanguage,
): ExplainedRules {
  const programs = createRegexPrograms({ scope: 'any part' });
  const rules = compileRules(context, language).rules.filter((rule) => [undefined, namespace].includes(rule.namespace));
  const matching: ExplainedRule[] = [];
  const unmatched: UnmatchedRule[] = [];
  for (const rule of rules) {
    const open = conditionOf(rule, bag, language, programs);
    if (open === false) unmatched.push({ object: rule.key, match: rule.spec.match ?? '' });
    else {
      const calls = rule.actions.flatMap(({ handler, instances }) =>
        instances.flatMap((instance) => explainCall(handler, instance, bag, language, programs)),
      );
      const isDryRun = rule.spec.dryRun === true;
      const compile = (text: string, attributes: AttributeTypes) =>
        compileExpression(text, attributes, language, { programs });
      const headers = isDryRun ? [] : explainHeaders(rule, bag, compile);
      matching.push({
        object: rule.key,
        ...(open !== true && { open }),
        calls,
        ...(isDryRun && { isDryRun }),
        headers,
      });
    }
  }
  return { matching, unmatched };
}

/** A handler that counts a quota. */
export interface CountingHandler {
  readonly handler: ObjectKey;
  readonly limit?: CountedLimit;
}

/** The handlers that count a quota for a request, as far as is known, each once. */
export function handlersCounting({ matching }: ExplainedRules, quota: string): readonly CountingHandler[] {
  const counting = matching.flatMap(({ calls }) =>
    calls.filter(({ variety, instance }) => {
      const [kind = '', namespace = '', ...name] = instance.split('/');
      return variety === 'quota' && referenceForms(kind, namespace, name.join('/')).includes(quota);
    }),
  );
  const byHandler = new Map(counting.map(({ handler, limit }) => [handler, { handler, ...(limit && { limit }) }]));
  return [...byHandler.values()];
}

/** Whether the condition is true, or why that is not known. */
function conditionOf(
  { spec: { match = '' }, attributes }: ResolvedRule,
  bag: AttributeBag,
  language: ExpressionLanguage,
  programs: RegexPrograms,
): boolean | string {
  if (match.trim() === '') return true;
  const result = compileExpression(match, attributes, language, { programs }).evaluate(bag);
  if (result.type === 'error') return result.message;
  return result.value.type === 'bool' && result.value.value;
}

function explainCall(
  handler: ResolvedHandler,
  object: ResolvedInstance,
  bag: AttributeBag,
  language: ExpressionLanguage,
  programs: RegexPrograms,
): readonly ExplainedCall[] {
  const compiled = compileInstance(object, language, programs);
  if (compiled === undefined || compiled.variety === 'attributes') return [];
  const { variety } = compiled;
  const call = { handler: handler.key, instance: object.key, variety };
  const instance = compiled.build(bag, createEvaluationMeter());
  if (typeof instance === 'string') return [{ ...call, open: instance }];
  if (variety === 'quota') {
    const limit = predictQuota(handler, instance);
    return [{ ...call, ...(limit && { limit: limitOf(limit) }) }];
  }
  const decision =
    variety === 'check' ? predictCheck(handler, instance, { programs, judgeBy: createAuthorizationJudge }) : undefined;
  if (decision === undefined) return [call];
  const denial = denialResponse(decision.status, decision.directive);
  const answer = { status: denial?.httpStatus ?? 200, message: reasonOf(decision.status) };
  return [{ ...call, answer }];
}

function limitOf({ maxAmount, shape, dimensions }: FoundAmount): CountedLimit {
  return { maxAmount, validDurationMs: shape.durationMs, counter: Object.fromEntries(dimensions) };
}

function reasonOf({ code, message }: PolicyStatus): string {
  return message === '' ? code : `${code}: ${message}`;
}
