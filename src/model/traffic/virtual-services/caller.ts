import type { TcpMatchSpec } from '../../../config/networking/virtual-service-match.js';
import type { Proxy } from '../../proxy.js';

/** The facts about the workload of a proxy that conditions read. */
export interface CallerFacts {
  /** Keys of labels, sorted. */
  readonly labels: readonly string[];
  readonly namespace: boolean;
}

/** The proxy of a caller. */
export type CallingProxy = Pick<Proxy, 'configNamespace' | 'metadata'>;

/** A proxy, as far as conditions read it. Callers with equal keys have equal routes. */
export interface Caller {
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Empty if no condition reads it. */
  readonly namespace: string;
}

/** A caller of which nothing is known. */
export const ANY_CALLER: Caller = { key: '', labels: {}, namespace: '' };

const NO_FACTS: CallerFacts = { labels: [], namespace: false };

type Condition = Pick<TcpMatchSpec, 'sourceLabels' | 'sourceNamespace' | 'gateways'>;

export function factsOf(conditions: readonly Condition[]): CallerFacts {
  const labels = new Set<string>();
  let namespace = false;
  for (const { sourceLabels = {}, sourceNamespace = '' } of conditions) {
    for (const key of Object.keys(sourceLabels)) labels.add(key);
    namespace ||= sourceNamespace !== '';
  }
  return labels.size === 0 && !namespace ? NO_FACTS : { labels: [...labels].sort(), namespace };
}

export function joinFacts(all: Iterable<CallerFacts>): CallerFacts {
  const labels = new Set<string>();
  let namespace = false;
  for (const facts of all) {
    for (const key of facts.labels) labels.add(key);
    namespace ||= facts.namespace;
  }
  return labels.size === 0 && !namespace ? NO_FACTS : { labels: [...labels].sort(), namespace };
}

/** The caller, reduced to these facts: proxies that differ in others share their routes. */
export function callerOf({ configNamespace, metadata }: CallingProxy, facts: CallerFacts): Caller {
  return reduce({ labels: metadata.labels, namespace: configNamespace }, facts);
}

/** The key of a caller for an object that reads fewer facts. */
export function callerKey(caller: Caller, facts: CallerFacts): string {
  return facts === NO_FACTS ? '' : reduce(caller, facts).key;
}

function reduce({ labels, namespace }: Pick<Caller, 'labels' | 'namespace'>, facts: CallerFacts): Caller {
  if (facts === NO_FACTS) return ANY_CALLER;
  const read = facts.labels.flatMap((key) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined ? [] : [[key, value] as const];
  });
  const readNamespace = facts.namespace ? namespace : '';
  return { key: JSON.stringify([read, readNamespace]), labels: Object.fromEntries(read), namespace: readNamespace };
}

/** What a translation is for: one port, at one gateway, for one caller. */
export interface RoutePlace {
  /** `mesh`, or `<namespace>/<name>`. */
  readonly gateway: string;
  readonly port: number;
  readonly caller: Caller;
}

/** Whether the parts of a condition that proxies do not compare themselves hold. */
export function holdsAt(condition: Condition & { readonly port?: number | undefined }, place: RoutePlace): boolean {
  const { gateways = [], port, sourceLabels = {}, sourceNamespace = '' } = condition;
  const { caller } = place;
  return (
    (gateways.length === 0 || gateways.includes(place.gateway)) &&
    (port === undefined || port === place.port) &&
    (sourceNamespace === '' || sourceNamespace === caller.namespace) &&
    Object.entries(sourceLabels).every(
      ([key, value]) => Object.hasOwn(caller.labels, key) && caller.labels[key] === value,
    )
  );
}
