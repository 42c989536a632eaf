import { createHash } from 'node:crypto';
import { appendTo } from '../../../base/append-to.js';
import type { MeshConfig } from '../../../config/mesh/mesh-config.js';
import type { MeshObject, ObjectKey } from '../../../config/object.js';
import type { Finding } from '../../finding.js';
import type { Service } from '../../service.js';
import { createRuleMerger, type EffectiveRule, type IgnoredPart } from './effective-rule.js';
import { createHostRules, type HostRules, NO_RULES } from './host-rules.js';
import { ruleBalancesByLocality } from './localities.js';
import { compareRules, exportedTo, type RuleEntry, readRuleEntry } from './rule-entry.js';

/** The DestinationRules of a snapshot as the clients of one namespace see them. */
export interface VisibleRules {
  /** Equal ids have equal rules; the id is stable while the rules are. */
  readonly id: string;
  /** Whether a rule makes endpoints depend on the locality of the client. */
  readonly balancesByLocality: boolean;
  /**
   * The rule for the clients of a service: of the client's namespace, else of the service's namespace, else of the root
   * namespace. The first of them with a rule for the host applies alone. Rules of other namespaces never apply, so no
   * namespace can change how others reach a host that is not its own.
   */
  ruleOf(service: Pick<Service, 'hostname' | 'namespace'>): EffectiveRule | undefined;
}

/** The DestinationRules of a snapshot. The same object while no rule changes. */
export interface DestinationRules {
  /** Namespaces that see the same rules share one object. */
  visibleFrom(namespace: string): VisibleRules;
  /** Parts of rules that older rules of the same namespace and host replace. */
  readonly ignored: readonly IgnoredPart[];
  /** The subsets among them (nav_destrule_subsets). */
  readonly findings: readonly Finding[];
}

/** The parts of a snapshot that the index is made from. */
export interface DestinationRuleSource {
  /** All objects by kind. */
  readonly objects: ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>>;
  readonly mesh: Pick<MeshConfig, 'rootNamespace' | 'defaultDestinationRuleExportTo'>;
  /** DNS suffix of the cluster. */
  readonly domain: string;
}

/** Makes the index of each snapshot; to be called with successive ones. */
export type DestinationRuleIndexer = (source: DestinationRuleSource) => DestinationRules;

export function createDestinationRuleIndexer(): DestinationRuleIndexer {
  const merge = createRuleMerger();
  let table: ReadonlyMap<ObjectKey, MeshObject> | undefined;
  let settings = '';
  let entries: ReadonlyMap<ObjectKey, Known> = new Map();
  let index: DestinationRules | undefined;
  let views = new Map<string, VisibleRules>();
  return ({ objects, mesh, domain }) => {
    const next = objects.get('DestinationRule');
    const nextSettings = JSON.stringify([mesh.rootNamespace, mesh.defaultDestinationRuleExportTo, domain]);
    if (index !== undefined && next === table && nextSettings === settings) return index;
    const isSame = nextSettings === settings;
    table = next;
    settings = nextSettings;
    entries = nextEntries(isSame ? entries : new Map(), table?.values() ?? [], domain);
    const known = isSame ? views : new Map<string, VisibleRules>();
    views = new Map();
    index = createIndex(
      Array.from(entries.values(), ({ entry }) => entry),
      mesh,
      merge,
      known,
      views,
    );
    return index;
  };
}

interface Known {
  readonly object: MeshObject;
  readonly entry: RuleEntry;
}

/** A rule that was written again without a change keeps its entry. */
function nextEntries(
  known: ReadonlyMap<ObjectKey, Known>,
  objects: Iterable<MeshObject>,
  domain: string,
): ReadonlyMap<ObjectKey, Known> {
  const next = new Map<ObjectKey, Known>();
  const byKey = new Map(Array.from(known.values(), (each) => [each.object, each]));
  for (const object of objects) {
    const same = byKey.get(object);
    if (same !== undefined) {
      next.set(same.entry.key, same);
      continue;
    }
    const entry = readRuleEntry(object, domain);
    const before = known.get(entry.key)?.entry;
    next.set(entry.key, { object, entry: before?.id === entry.id ? before : entry });
  }
  return next;
}

/**
 * @param known views of the index before, by id
 * @param views is given the views of this one
 */
function createIndex(
  entries: readonly RuleEntry[],
  { rootNamespace, defaultDestinationRuleExportTo }: DestinationRuleSource['mesh'],
  merge: ReturnType<typeof createRuleMerger>,
  known: ReadonlyMap<string, VisibleRules>,
  views: Map<string, VisibleRules>,
): DestinationRules {
  const ofNamespace = new Map<string, ExportedRule[]>();
  /** Rules of other namespaces that name a namespace in exportTo. */
  const named = new Map<string, ExportedRule[]>();
  const everywhere: RuleEntry[] = [];
  for (const entry of [...entries].sort(compareRules)) {
    const exported = { entry, to: exportedTo(entry, defaultDestinationRuleExportTo) };
    appendTo(ofNamespace, entry.namespace, exported);
    if (exported.to.has('*')) everywhere.push(entry);
    else for (const namespace of exported.to) if (namespace !== entry.namespace) appendTo(named, namespace, exported);
  }
  const levels = new Map(
    Array.from(ofNamespace, ([namespace, rules]) => [namespace, createLevel(namespace, rules, merge)] as const),
  );
  const commonId = hashOf(everywhere);

  const viewOf = (namespace: string): VisibleRules => {
    const own = ofNamespace.get(namespace)?.filter(({ to }) => to.has('*') || to.has(namespace)) ?? [];
    const special = [...own, ...(named.get(namespace) ?? [])].map(({ entry }) => entry);
    // Rules of its own come first for a namespace, but not for others that they are exported to.
    const reader = own.length === 0 ? '' : `.${namespace}`;
    const id = special.length === 0 ? commonId : `${commonId}.${hashOf(special)}${reader}`;
    const view =
      views.get(id) ??
      known.get(id) ??
      createVisibleRules(id, [...everywhere, ...special], { client: namespace, rootNamespace, levels });
    views.set(id, view);
    return view;
  };

  const byNamespace = new Map<string, VisibleRules>();
  const ignored = [...levels.values()].flatMap((level) => level.ignored);
  return {
    ignored,
    findings: ignored.flatMap(duplicateSubset),
    visibleFrom: (namespace) => {
      // All namespaces that no rule is in or names see the same.
      const client = ofNamespace.has(namespace) || named.has(namespace) ? namespace : '';
      let view = byNamespace.get(client);
      if (view === undefined) {
        view = viewOf(client);
        byNamespace.set(client, view);
      }
      return view;
    },
  };
}

interface VisibleRulesParts {
  /** The namespace that sees them. */
  readonly client: string;
  readonly rootNamespace: string;
  /** By namespace. */
  readonly levels: ReadonlyMap<string, Level>;
}

/** Not within `createIndex`: a closure made there would keep the views of the index before, and these of all before. */
function createVisibleRules(
  id: string,
  seen: readonly RuleEntry[],
  { client, rootNamespace, levels }: VisibleRulesParts,
): VisibleRules {
  const levelOf = (namespace: string): HostRules => levels.get(namespace)?.seenBy(client) ?? NO_RULES;
  // The root namespace often has rules for the whole mesh; they must not come before those of services for its proxies.
  const own = client === rootNamespace ? NO_RULES : levelOf(client);
  const ofRoot = levelOf(rootNamespace);
  return {
    id,
    balancesByLocality: seen.some(({ spec }) => ruleBalancesByLocality(spec)),
    ruleOf: ({ hostname, namespace }) => own.of(hostname) ?? levelOf(namespace).of(hostname) ?? ofRoot.of(hostname),
  };
}

interface ExportedRule {
  readonly entry: RuleEntry;
  readonly to: ReadonlySet<string>;
}

/** The rules of one namespace. */
interface Level {
  seenBy(client: string): HostRules;
  readonly ignored: readonly IgnoredPart[];
}

/** @param rules of the namespace, oldest first */
function createLevel(
  namespace: string,
  rules: readonly ExportedRule[],
  merge: ReturnType<typeof createRuleMerger>,
): Level {
  const named = new Set(rules.flatMap(({ to }) => [...to]));
  const tables = new Map<string, HostRules>();
  const group = (seen: readonly ExportedRule[]) => {
    const byHost = new Map<string, [RuleEntry, ...RuleEntry[]]>();
    for (const { entry } of seen) {
      appendTo(byHost, entry.host, entry);
    }
    return Array.from(byHost.values(), merge);
  };
  return {
    ignored: group(rules).flatMap(({ ignored }) => ignored),
    seenBy: (client) => {
      const reader = client === namespace || named.has(client) ? client : '*';
      let table = tables.get(reader);
      if (table === undefined) {
        const seen = rules.filter(({ to }) => to.has('*') || to.has(reader));
        table = createHostRules(group(seen).map(({ rule }) => rule));
        tables.set(reader, table);
      }
      return table;
    },
  };
}

function duplicateSubset({ rule, winner, subset }: IgnoredPart): readonly Finding[] {
  if (subset === undefined) return [];
  const reason =
    winner === undefined ? 'is more than the rules of a host may have' : `is in the older ${winner.key} already`;
  const message = `Subset ${subset} of ${rule.host} in ${rule.key} ${reason}; rename or remove it`;
  return [{ metric: 'nav_destrule_subsets', key: `${rule.key} ${subset}`, message, object: rule.key }];
}

function hashOf(entries: readonly RuleEntry[]): string {
  if (entries.length === 0) return '';
  const hash = createHash('sha256');
  for (const { id } of entries.toSorted((first, second) => (first.id < second.id ? -1 : 1))) hash.update(id);
  return hash.digest('base64url').slice(0, 22);
}
