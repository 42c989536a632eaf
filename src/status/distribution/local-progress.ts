import type { ObjectKey } from '../../config/object.js';
import type { ProxyType } from '../../model/proxy.js';
import type { ProxyConnection } from '../../model/proxy-connection.js';
import type { PushContext } from '../../model/push-context.js';
import { createPolicyConcerns } from './concerned-policies.js';
import type { InstanceProgress } from './instance-progress.js';
import { measureProgress } from './measure-progress.js';
import { createRejectionBook } from './rejection-book.js';

/**
 * What changed between two states of the configuration, by the configVersions that the distribution ledger gives to
 * states.
 */
export interface ConfigHistory {
  /** Version of the newest state. */
  readonly configVersion: string;
  /** Objects that changed after a state; undefined when the state is not known. */
  changedSince(configVersion: string): ReadonlySet<ObjectKey> | undefined;
  /** Objects that differ, or differed meanwhile, between two states; undefined when a state is not known. */
  changedBetween(first: string, second: string): ReadonlySet<ObjectKey> | undefined;
  /** Keeps these states, however old, until the next call. */
  retain(configVersions: ReadonlySet<string>): void;
}

/** Which proxies of this instance have which objects. */
export interface LocalProgress {
  /** Undefined before the first snapshot. The same object while no object and no proxy has changed. */
  measure(): InstanceProgress | undefined;
  /** A proxy has connected or disconnected, or what it has acknowledged or rejected has changed. */
  connectionsChanged(): void;
}

export interface LocalProgressParts {
  readonly history: ConfigHistory;
  /** The newest snapshot; undefined before the first. */
  readonly context: () => PushContext | undefined;
  readonly connections: { list(): readonly ProxyConnection[] };
  /** Whether `--plugins` names `policy`. */
  readonly isPluginOn: boolean;
  /** Kinds whose objects have a status. */
  readonly kinds: readonly string[];
  /** Whether a change of the object can alter the resources of the type that such a proxy is served. */
  affects(key: ObjectKey, typeUrl: string, proxyType: ProxyType): boolean;
  /** Ledger version of the configuration that a response was made from. */
  configVersionOfNonce(nonce: string): string;
  /** `cds`, `lds` and so on. */
  shortTypeName(typeUrl: string): string;
}

interface Measurement {
  readonly states: readonly string[];
  readonly context: PushContext;
  readonly measured: InstanceProgress;
}

export function createLocalProgress(parts: LocalProgressParts): LocalProgress {
  const { history, connections, affects, configVersionOfNonce } = parts;
  const concernsOf = createPolicyConcerns(parts.isPluginOn);
  const book = createRejectionBook(parts);
  let last: Measurement | undefined;
  let hasChangedConnections = true;

  return {
    measure: () => {
      const context = parts.context();
      if (context === undefined) return undefined;
      if (last?.context === context && !hasChangedConnections) return last.measured;
      hasChangedConnections = false;
      const list = connections.list();
      const states = statesOf(list);
      if (last?.context === context && isSameList(last.states, states)) return last.measured;
      book.update(list, context);
      history.retain(configVersionsInUse(list, configVersionOfNonce));
      const measured = measureProgress({
        context,
        configVersion: history.configVersion,
        connections: list,
        history,
        concerns: concernsOf(context),
        kinds: parts.kinds,
        affects,
        rejectionsOf: book.of,
      });
      last = { states, context, measured };
      return measured;
    },
    connectionsChanged: () => {
      hasChangedConnections = true;
    },
  };
}

function configVersionsInUse(
  connections: readonly ProxyConnection[],
  configVersionOfNonce: (nonce: string) => string,
): Set<string> {
  const configVersions = new Set<string>();
  for (const { watches } of connections) {
    for (const { ackedConfigVersion, sentNonce } of watches.values()) {
      configVersions.add(ackedConfigVersion);
      configVersions.add(configVersionOfNonce(sentNonce));
    }
  }
  return configVersions;
}

/** Everything about connections that a measurement depends on. */
function statesOf(connections: readonly ProxyConnection[]): readonly string[] {
  const states: string[] = [];
  for (const { id, watches } of connections) {
    states.push(id);
    for (const { typeUrl, ackedConfigVersion, rejection } of watches.values()) {
      states.push(typeUrl, ackedConfigVersion, rejection?.nonce ?? '');
    }
  }
  return states;
}

function isSameList(first: readonly string[], second: readonly string[]): boolean {
  return first.length === second.length && first.every((item, index) => item === second[index]);
}
