import { isDeepStrictEqual } from 'node:util';
import { RULE_KINDS } from '../../../config/policy-rules/kind-names.js';
import type { RuleCounts } from '../../../config/policy-rules/rule-counts.js';
import type { ExpressionLanguage } from '../../../expressions/expression-types.js';
import { keepObjects, type Objects } from '../keep-objects.js';
import { AUTHORIZATION_POLICY, trustDomainsIn, usesAuthorizationPolicies } from './authorization-of.js';
import { countObjects } from './count-objects.js';
import { compileRules, type RuleSet } from './rule-set.js';
import type { RuleSource } from './rule-source.js';

/** The rules that a policy server applies. */
export interface ResolvedRules extends RuleSet {
  readonly counts: RuleCounts;
  /** Of all expressions. */
  readonly language: ExpressionLanguage;
}

interface Resolved extends RuleSource {
  /** As they are in the snapshot. */
  readonly tables: readonly (Objects | undefined)[];
  readonly rules: ResolvedRules;
}

/**
 * Resolves the rules of successive snapshots. The result is the same object while no object of the policy runtime and no
 * grant changes. A write of metadata or status is no change.
 */
export function createResolvedRules(language: ExpressionLanguage): (source: RuleSource) => ResolvedRules {
  let last: Resolved | undefined;
  return ({ objects, bindingGrants, mesh }) => {
    const tables = tablesOf(objects);
    const isSame =
      last?.bindingGrants === bindingGrants && isDeepStrictEqual(trustDomainsIn(last.mesh), trustDomainsIn(mesh));
    if (last !== undefined && isSame && tables.every((table, index) => table === last?.tables[index])) {
      return last.rules;
    }
    const kept = new Map<string, Objects>(
      READ_KINDS.map((kind, index) => [kind, keepTable(last?.objects.get(kind), tables[index])]),
    );
    const hasChanged = !isSame || READ_KINDS.some((kind) => kept.get(kind) !== last?.objects.get(kind));
    const source = { objects: kept, bindingGrants, ...(mesh && { mesh }) };
    last = { ...source, tables, rules: hasChanged || last === undefined ? resolve(source, language) : last.rules };
    return last.rules;
  };
}

const READ_KINDS = [...RULE_KINDS, AUTHORIZATION_POLICY];

/** The objects of each kind. A change of AuthorizationPolicies resolves nothing again while no handler decides by them. */
function tablesOf(objects: RuleSource['objects']): readonly (Objects | undefined)[] {
  const needsPolicies = usesAuthorizationPolicies(objects.get('handler') ?? NONE);
  return READ_KINDS.map((kind) => (kind === AUTHORIZATION_POLICY && !needsPolicies ? undefined : objects.get(kind)));
}

const NONE: Objects = new Map();

function resolve(source: RuleSource, language: ExpressionLanguage): ResolvedRules {
  const set = compileRules(source, language);
  return { ...set, counts: countObjects(source, language, set), language };
}

/** The previous table, if it has the same objects. */
function keepTable(previous: Objects | undefined, next: Objects | undefined): Objects {
  const kept = keepObjects(previous, next);
  const isSame = previous?.size === kept.size && [...kept].every(([key, object]) => previous.get(key) === object);
  return isSame ? previous : kept;
}
