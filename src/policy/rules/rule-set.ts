import { errorText } from '../../base/error-text.js';
import { SERVICE_NAMESPACE } from '../../config/attributes/service-namespace.js';
import { actionOutputs } from '../../config/policy-rules/action-outputs.js';
import { referenceForms } from '../../config/policy-rules/object-reference.js';
import type { MatchMeter } from '../../config/regex/match-meter.js';
import type { RegexPrograms } from '../../config/regex/regex-programs.js';
import { type CompiledExpression, compileExpression } from '../../expressions/compile-expression.js';
import { attributeEquals, type Conjunct } from '../../expressions/conditions/conjunct.js';
import type { AttributeReader, AttributeTypes, ExpressionLanguage } from '../../expressions/expression-types.js';
import { type CompiledInstance, compileInstance } from './compile-instance.js';
import type { HeaderRule } from './headers/change-headers.js';
import { type CompiledHeaders, compileHeaderOperations } from './headers/compile-header-operations.js';
import { createRuleIndex, type IndexedRule, type RuleIndex } from './rule-index.js';
import type { HandlerObject, InstanceObject, RuleObject } from './rule-objects.js';
import { createSampler, type Sampler, type SamplerEnvironment } from './sampler.js';

/**
 * Work of a call of a handler with one instance: a request may cause 1,000 calls. Otherwise a namespace with many rules would
 * take the time of all others with each of its requests.
 */
const WORK_OF_CALL = 4000;

/** A handler with instances of one request. */
export interface Destination {
  readonly handler: HandlerObject;
  readonly instances: readonly CompiledInstance[];
}

/** Compiled rules. Never changes. */
export interface CompiledRuleSet {
  /**
   * Handlers that decide about a request or count it, in the order of the rules. Each instance comes once per handler. The
   * meter pays for each instance of a rule of a namespace: without work left, the rule is left out, and the meter is exceeded.
   */
  requestDestinations(bag: AttributeReader, meter: MatchMeter): readonly Destination[];
  /** Handlers that get data about a request that has ended. */
  reportDestinations(bag: AttributeReader, meter: MatchMeter): readonly Destination[];
  /** The matching rules in a dry run, in their order. Undefined if there are none. */
  readonly dryRuns: ((bag: AttributeReader, meter: MatchMeter) => readonly DryRunRule[]) | undefined;
  /** The rules that change headers of a request, in their order. Undefined if no rule changes headers. */
  readonly headerRules: ((bag: AttributeReader, meter: MatchMeter) => readonly HeaderRule[]) | undefined;
  /** All handlers with their instances, by rule. */
  readonly destinations: readonly Destination[];
  /** All handlers that rules name, by key. */
  readonly handlers: ReadonlyMap<string, HandlerObject>;
  /** The instances of the rules that call a handler, each once. */
  instancesOf(handler: string): readonly CompiledInstance[];
  /** Names of quota instances, with and without their namespace. */
  readonly quotaNames: ReadonlySet<string>;
  readonly problems: readonly RuleSetProblem[];
  /** Rules in force. */
  readonly size: number;
}

/** A rule whose decisions have no effect. */
export interface DryRunRule {
  readonly key: string;
  /** Handlers that decide about a request or count it. */
  readonly destinations: readonly Destination[];
}

/** A part of a rule that is left out. */
export interface RuleSetProblem {
  readonly object: string;
  readonly part: 'match' | 'sampling' | 'instance' | 'header';
  readonly text: string;
}

/** Compiles rules; keeps the compiled form of objects that do not change. */
export type RuleCompiler = (rules: readonly RuleObject[]) => CompiledRuleSet;

interface CompiledRule extends IndexedRule {
  readonly key: string;
  /** Whether the mesh's operator wrote it, for all services. */
  readonly isOfAll: boolean;
  readonly isDryRun: boolean;
  /** Undefined: all requests are reported. */
  readonly sampler: Sampler | undefined;
  readonly destinations: readonly Destination[];
  /** Undefined for a rule without header operations. */
  readonly headers: CompiledHeaders | undefined;
}

type Remembered<Value> = WeakMap<
  object,
  { readonly attributes: AttributeTypes; readonly rest: string; readonly value: Value | Error }
>;

/** The header operations of a rule, and the problems of those that are left out. */
interface RememberedHeaders {
  readonly headers: CompiledHeaders | undefined;
  readonly problems: readonly string[];
}

/** @param programs where regular expressions are compiled, with the scope `any part` */
export function createRuleCompiler(
  language: ExpressionLanguage,
  programs: RegexPrograms,
  environment: SamplerEnvironment,
): RuleCompiler {
  const matches: Remembered<CompiledExpression | undefined> = new WeakMap();
  const samplers: Remembered<Sampler | undefined> = new WeakMap();
  const instances: Remembered<CompiledInstance | undefined> = new WeakMap();
  const headers: Remembered<RememberedHeaders> = new WeakMap();

  const matchOf = ({ object, spec: { match = '' }, attributes }: RuleObject) =>
    remembered(matches, object, attributes, () =>
      match.trim() === '' ? undefined : compileExpression(match, attributes, language, { programs }),
    );
  const samplerOf = ({ object, spec: { sampling }, attributes }: RuleObject) =>
    remembered(
      samplers,
      object,
      attributes,
      () =>
        sampling &&
        createSampler(sampling, (text) => compileExpression(text, attributes, language, { programs }), environment),
    );
  const instanceOf = (instance: InstanceObject) =>
    remembered(instances, instance.object, instance.attributes, () => compileInstance(instance, language, programs));
  const headersOf = (rule: RuleObject) =>
    remembered(
      headers,
      rule.object,
      rule.attributes,
      () => {
        const problems: string[] = [];
        const compile = (text: string, attributes: AttributeTypes) =>
          compileExpression(text, attributes, language, { programs });
        return { headers: compileHeaderOperations(rule, compile, (text) => problems.push(text)), problems };
      },
      // Operations read outputs, which belong to other objects than the rule.
      JSON.stringify(actionOutputs(rule.actions)),
    );

  return (rules) => {
    const problems: RuleSetProblem[] = [];
    const usable = <Value>(value: Value | Error, object: string, part: RuleSetProblem['part']): value is Value => {
      if (!(value instanceof Error)) return true;
      problems.push({ object, part, text: value.message });
      return false;
    };
    const compiled = rules.flatMap((rule, place): readonly CompiledRule[] => {
      const match = matchOf(rule);
      if (!usable(match, rule.key, 'match')) return [];
      const sampler = samplerOf(rule);
      if (!usable(sampler, rule.key, 'sampling')) return [];
      const destinations = new Destinations();
      for (const { handler, instances: named } of rule.actions) {
        for (const each of named) {
          const instance = instanceOf(each);
          if (usable(instance, each.key, 'instance') && instance !== undefined) destinations.add(handler, instance);
        }
      }
      const { key, namespace } = rule;
      const conjuncts = conjunctsOf(namespace, match);
      const changes = headersOf(rule);
      if (!usable(changes, key, 'header')) return [];
      problems.push(...changes.problems.map((text) => ({ object: key, part: 'header' as const, text })));
      const isDryRun = rule.spec.dryRun === true;
      const isOfAll = namespace === undefined;
      const compiledRule = { key, place, conjuncts, sampler, isDryRun, isOfAll };
      return [{ ...compiledRule, destinations: destinations.all(), headers: changes.headers }];
    });
    const named = compiled.flatMap(({ destinations }) => destinations);
    const deciding = withVarieties(compiled, ['check', 'quota']);
    const requests = createRuleIndex(deciding.filter(({ isDryRun }) => !isDryRun));
    const reports = createRuleIndex(withVarieties(compiled, ['report']));
    return {
      requestDestinations: (bag, meter) => destinationsOf(requests(bag, meter), meter),
      reportDestinations: (bag, meter) =>
        destinationsOf(
          reports(bag, meter).filter(({ sampler }) => sampler?.(bag, meter) ?? true),
          meter,
        ),
      dryRuns: finderOf(deciding.filter(({ isDryRun }) => isDryRun)),
      headerRules: finderOf(compiled.flatMap(headerRule)),
      destinations: named,
      handlers: new Map(named.map(({ handler }) => [handler.key, handler])),
      instancesOf: instanceFinder(named),
      quotaNames: new Set(named.flatMap(({ instances: all }) => all.flatMap(quotaNames))),
      problems,
      size: compiled.length,
    };
  };
}

function conjunctsOf(namespace: string | undefined, match: CompiledExpression | undefined): readonly Conjunct[] {
  const ofMatch = match?.conjuncts() ?? [];
  return namespace === undefined ? ofMatch : [attributeEquals(SERVICE_NAMESPACE, namespace), ...ofMatch];
}

/** The names by which QuotaSpecs can charge an instance. */
export function quotaNames({ variety, name, fullName }: CompiledInstance): readonly string[] {
  if (variety !== 'quota') return [];
  return referenceForms('instance', fullName.slice(0, fullName.indexOf('/')), name);
}

/** @param rest further parts that the value is made of, besides object and attributes */
function remembered<Value>(
  memory: Remembered<Value>,
  object: object,
  attributes: AttributeTypes,
  compile: () => Value,
  rest = '',
): Value | Error {
  const known = memory.get(object);
  if (known?.attributes === attributes && known.rest === rest) return known.value;
  let value: Value | Error;
  try {
    value = compile();
  } catch (error) {
    value = error instanceof Error ? error : new Error(errorText(error));
  }
  memory.set(object, { attributes, rest, value });
  return value;
}

/** The rules with their instances of some varieties; without rules that have none. */
function withVarieties(
  rules: readonly CompiledRule[],
  varieties: readonly CompiledInstance['variety'][],
): readonly CompiledRule[] {
  return rules.flatMap((rule) => {
    const destinations = destinationsWith(rule.destinations, varieties);
    return destinations.length === 0 ? [] : [{ ...rule, destinations }];
  });
}

/** Destinations with their instances of some varieties; without those that have none. */
export function destinationsWith(
  destinations: readonly Destination[],
  varieties: readonly CompiledInstance['variety'][],
): readonly Destination[] {
  return destinations
    .map(({ handler, instances }) => ({
      handler,
      instances: instances.filter(({ variety }) => varieties.includes(variety)),
    }))
    .filter(({ instances }) => instances.length > 0);
}

function headerRule({ headers, ...rule }: CompiledRule) {
  return headers === undefined || headers.operations.length === 0 || rule.isDryRun ? [] : [{ ...rule, headers }];
}

/** Undefined without rules. */
function finderOf<Rule extends IndexedRule>(rules: readonly Rule[]): RuleIndex<Rule> | undefined {
  return rules.length === 0 ? undefined : createRuleIndex(rules);
}

const NONE: readonly Destination[] = [];

/** Finds the instances of a handler, each once. */
function instanceFinder(destinations: readonly Destination[]): CompiledRuleSet['instancesOf'] {
  const byHandler = new Map<string, Set<CompiledInstance>>();
  for (const { handler, instances } of destinations) {
    const known = byHandler.get(handler.key) ?? new Set();
    byHandler.set(handler.key, known);
    for (const instance of instances) known.add(instance);
  }
  return (key) => [...(byHandler.get(key) ?? [])];
}

/** Joins actions of one handler. */
class Destinations {
  readonly #byHandler = new Map<
    string,
    { readonly handler: HandlerObject; readonly instances: Set<CompiledInstance> }
  >();

  add(handler: HandlerObject, instance: CompiledInstance): void {
    const known = this.#byHandler.get(handler.key);
    if (known === undefined) this.#byHandler.set(handler.key, { handler, instances: new Set([instance]) });
    else known.instances.add(instance);
  }

  all(): readonly Destination[] {
    return Array.from(this.#byHandler.values(), ({ handler, instances }) => ({ handler, instances: [...instances] }));
  }
}

function destinationsOf(found: readonly CompiledRule[], meter: MatchMeter): readonly Destination[] {
  const matching = found.filter((rule) => rule.isOfAll || meter.spend(callsOf(rule) * WORK_OF_CALL));
  if (matching.length <= 1) return matching[0]?.destinations ?? NONE;
  const joined = new Destinations();
  for (const { destinations } of matching) {
    for (const { handler, instances } of destinations) {
      for (const instance of instances) joined.add(handler, instance);
    }
  }
  return joined.all();
}

function callsOf({ destinations }: CompiledRule): number {
  let calls = 0;
  for (const { instances } of destinations) calls += instances.length;
  return calls;
}
