import { appendTo } from '../../../base/append-to.js';
import { type CallerFacts, joinFacts } from './caller.js';
import { createHostTable, type HostTable } from './host-table.js';
import { comparePrecedence, type VirtualService } from './virtual-service.js';

/** The VirtualServices that the proxies of some namespaces use. The same object while these stay the same. */
export interface NamespaceRules {
  readonly tables: readonly HostTable[];
  /** What all of them read of callers, for requests and for connections. */
  readonly facts: CallerFacts;
  readonly connectionFacts: CallerFacts;
  /**
   * Whether an object may route requests to hosts of a namespace: its own, or any if the callers are in its namespace, or
   * if the object is the operator's.
   *
   * @param owner namespace of the service; undefined for hosts of no service
   */
  mayRoute(virtualService: VirtualService, owner: string | undefined): boolean;
  /** In order of precedence. */
  all(): readonly VirtualService[];
  /** Those of a gateway, `<namespace>/<name>`, in order of precedence. */
  atGateway(gateway: string): readonly VirtualService[];
}

/** VirtualServices that are the same for all namespaces, or the additions for one. */
export interface RuleTable extends HostTable {
  readonly facts: CallerFacts;
  readonly connectionFacts: CallerFacts;
  readonly byGateway: ReadonlyMap<string, readonly VirtualService[]>;
}

/** @param all in order of precedence */
export function createRuleTable(all: readonly VirtualService[]): RuleTable {
  const byGateway = new Map<string, VirtualService[]>();
  for (const virtualService of all) {
    for (const gateway of virtualService.gateways) {
      appendTo(byGateway, gateway, virtualService);
    }
  }
  const facts = joinFacts(all.map((each) => each.facts));
  const connectionFacts = joinFacts(all.map((each) => each.connectionFacts));
  return { ...createHostTable(all), facts, connectionFacts, byGateway };
}

/** @param author the namespace of the callers, if objects of it are among the rules */
export function createNamespaceRules(tables: readonly RuleTable[], author: string | undefined): NamespaceRules {
  const merge = (lists: readonly (readonly VirtualService[])[]): readonly VirtualService[] => {
    const [first = [], ...others] = lists.filter((list) => list.length > 0);
    return others.length === 0 ? first : [first, ...others].flat().sort(comparePrecedence);
  };
  let all: readonly VirtualService[] | undefined;
  return {
    tables,
    facts: joinFacts(tables.map((table) => table.facts)),
    connectionFacts: joinFacts(tables.map((table) => table.connectionFacts)),
    mayRoute: ({ isTrusted, namespace }, owner) => isTrusted || namespace === owner || namespace === author,
    all: () => {
      all ??= merge(tables.map((table) => table.all));
      return all;
    },
    atGateway: (gateway) => merge(tables.map((table) => table.byGateway.get(gateway) ?? [])),
  };
}
