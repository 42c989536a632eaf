import {
  DESTINATION_RULE_LIMITS,
  type SubsetSpec,
  type TrafficPolicySpec,
} from '../../../config/networking/destination-rule.js';
import type { ObjectKey } from '../../../config/object.js';
import type { RuleEntry } from './rule-entry.js';

/** All rules of one namespace for one host, as one. The same object while the rules stay the same. */
export interface EffectiveRule {
  /** Full name or pattern. */
  readonly host: string;
  /** Of the rules, oldest first. */
  readonly sources: readonly ObjectKey[];
  /** Of the oldest rule that has one. */
  readonly policy?: TrafficPolicySpec;
  /** Of all rules; of subsets with one name, that of the oldest rule. */
  readonly subsets: readonly SubsetSpec[];
}

/** A part of a rule that has no effect because an older rule for the same host has it already. */
export interface IgnoredPart {
  readonly rule: RuleEntry;
  /** The rule in force; absent for a subset that exceeds the limit. */
  readonly winner?: RuleEntry;
  /** Name of the subset; absent for `trafficPolicy`. */
  readonly subset?: string;
}

export interface MergedRules {
  readonly rule: EffectiveRule;
  readonly ignored: readonly IgnoredPart[];
}

/** @param entries of one namespace and host, oldest first, at least one */
function mergeRules(entries: readonly [RuleEntry, ...RuleEntry[]]): MergedRules {
  const ignored: IgnoredPart[] = [];
  const owners = new Map<string, RuleEntry>();
  const [{ host }] = entries;
  // Every service that a wildcard matches gets the subsets of all of its rules.
  const most = host.startsWith('*') ? DESTINATION_RULE_LIMITS.subsetsOfWildcard : DESTINATION_RULE_LIMITS.subsets;
  const subsets: SubsetSpec[] = [];
  const authority = entries.find(({ spec }) => spec.trafficPolicy !== undefined);
  for (const rule of entries) {
    if (authority !== undefined && rule !== authority && rule.spec.trafficPolicy !== undefined) {
      ignored.push({ rule, winner: authority });
    }
    for (const subset of rule.spec.subsets ?? []) {
      const winner = owners.get(subset.name);
      if (winner !== undefined) {
        ignored.push({ rule, winner, subset: subset.name });
      } else if (subsets.length >= most) {
        ignored.push({ rule, subset: subset.name });
      } else {
        owners.set(subset.name, rule);
        subsets.push(subset);
      }
    }
  }
  const policy = authority?.spec.trafficPolicy;
  const rule = {
    host,
    sources: entries.map(({ key }) => key),
    ...(policy === undefined ? {} : { policy }),
    subsets,
  };
  return { rule, ignored };
}

/** Merges rules, each list of them once for as long as its rules live. */
export function createRuleMerger(): (entries: readonly [RuleEntry, ...RuleEntry[]]) => MergedRules {
  interface Node {
    merged?: MergedRules;
    readonly longer: WeakMap<RuleEntry, Node>;
  }
  const root: Node = { longer: new WeakMap() };
  return (entries) => {
    let node = root;
    for (const entry of entries) {
      let next = node.longer.get(entry);
      if (next === undefined) {
        next = { longer: new WeakMap() };
        node.longer.set(entry, next);
      }
      node = next;
    }
    node.merged ??= mergeRules(entries);
    return node.merged;
  };
}
