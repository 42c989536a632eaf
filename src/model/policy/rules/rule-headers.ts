import type { MeshObject, ObjectKey } from '../../../config/object.js';
import type { RuleSpec } from '../../../config/policy-rules/rule.js';
import { createMemo } from '../../memo.js';
import type { RuleSource } from './rule-source.js';

/** The headers that rules may change of requests to some services, so that proxies take no other from a policy server. */
export interface RuleHeaders {
  /** Headers that requests may get, in lower case and sorted. */
  readonly request: readonly string[];
  /** Headers that responses may get in addition. */
  readonly response: readonly string[];
  /** Whether only a Check over gRPC can carry the changes: those that replace headers of responses, or very many names. */
  readonly needsGrpc: boolean;
  /** Contains all of the above; empty without any. */
  readonly key: string;
}

/** The headers of each namespace of services. */
export interface RuleHeaderTable {
  /** The headers of rules for services of some namespaces. */
  of(namespaces: Iterable<string>): RuleHeaders;
  readonly isEmpty: boolean;
}

export const NO_RULE_HEADERS: RuleHeaders = { request: [], response: [], needsGrpc: false, key: '' };

/** Names in one filter: Envoy compares each header of an answer with each of them. */
const MAX_NAMES = 64;

type Rules = ReadonlyMap<ObjectKey, MeshObject>;

const NO_RULES: Rules = new Map();

/** Finds the headers of each snapshot, again only when rules have changed. */
export function createRuleHeaders(): (source: Pick<RuleSource, 'objects' | 'bindingGrants'>) => RuleHeaderTable {
  const tables = createMemo<RuleHeaderTable>();
  return ({ objects, bindingGrants: { rootNamespace } }) => {
    const rules = objects.get('rule') ?? NO_RULES;
    return tables.of([rules], rootNamespace, () => tableOf(rules, rootNamespace));
  };
}

class Names {
  readonly request = new Set<string>();
  readonly response = new Set<string>();
  replacesResponse = false;

  add({ requestHeaderOperations, responseHeaderOperations }: RuleSpec): void {
    for (const { name, operation } of requestHeaderOperations) {
      // Proxies remove headers by a list in the answer, without a permission for each.
      if (operation !== 'REMOVE') this.request.add(name.toLowerCase());
    }
    for (const { name, operation } of responseHeaderOperations) {
      if (operation === 'REMOVE') continue;
      this.response.add(name.toLowerCase());
      if (operation === 'REPLACE') this.replacesResponse = true;
    }
  }

  join(other: Names): void {
    for (const name of other.request) this.request.add(name);
    for (const name of other.response) this.response.add(name);
    this.replacesResponse ||= other.replacesResponse;
  }

  headers(): RuleHeaders {
    const [request, response] = [[...this.request].sort(), [...this.response].sort()];
    if (request.length + response.length === 0) return NO_RULE_HEADERS;
    const needsGrpc = this.replacesResponse || request.length + response.length > MAX_NAMES;
    if (needsGrpc) return { ...NO_RULE_HEADERS, needsGrpc, key: 'grpc' };
    return { request, response, needsGrpc, key: `${request.join()} ${response.join()}` };
  }
}

function tableOf(rules: Rules, rootNamespace: string): RuleHeaderTable {
  const byNamespace = new Map<string, Names>();
  for (const { body, metadata } of rules.values()) {
    const spec = body as RuleSpec;
    const operations = spec.requestHeaderOperations.length + spec.responseHeaderOperations.length;
    if (operations === 0 || spec.dryRun) continue;
    const names = byNamespace.get(metadata.namespace) ?? new Names();
    names.add(spec);
    byNamespace.set(metadata.namespace, names);
  }
  if (byNamespace.size === 0) return { of: () => NO_RULE_HEADERS, isEmpty: true };
  return {
    isEmpty: false,
    of: (namespaces) => {
      const joined = new Names();
      for (const namespace of new Set([rootNamespace, ...namespaces])) {
        const names = byNamespace.get(namespace);
        if (names !== undefined) joined.join(names);
      }
      return joined.headers();
    },
  };
}
