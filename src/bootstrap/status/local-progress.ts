import type { Clock } from '../../base/clock.js';
import type { ObjectKey } from '../../config/object.js';
import { shortTypeName } from '../../envoy/type-urls.js';
import type { ResourceGenerator } from '../../generators/generator.js';
import type { ProxyType } from '../../model/proxy.js';
import type { ProxyConnection } from '../../model/proxy-connection.js';
import type { PushContext } from '../../model/push-context.js';
import { MESH_CONFIG_KEY, type PushRequest } from '../../model/push-request.js';
import { ROOT_LENGTH } from '../../push/distribution-ledger.js';
import type { Distributor, Subscriber } from '../../push/distributor.js';
import { createPolicyConcerns } from '../../status/distribution/concerned-policies.js';
import type { InstanceProgress } from '../../status/distribution/instance-progress.js';
import { measureProgress } from '../../status/distribution/measure-progress.js';
import { createRejectionBook } from '../../status/distribution/rejection-book.js';
import { createRootHistory } from '../../status/distribution/root-history.js';

/** Which proxies of this instance have which objects. */
export interface LocalProgress {
  /** Undefined before the first snapshot. The very same object while nothing has changed. */
  measure(): InstanceProgress | undefined;
  stop(): void;
}

/** As much of the distributor as is followed. */
export interface FollowedDistributor extends Pick<Distributor, 'context' | 'root' | 'add' | 'remove'> {
  readonly generators: ReadonlyMap<string, Pick<ResourceGenerator, 'affectedBy'>>;
}

export interface LocalProgressParts {
  readonly distributor: FollowedDistributor;
  readonly connections: { list(): readonly ProxyConnection[] };
  /** Whether `--plugins` names `policy`. */
  readonly isPluginOn: boolean;
  /** Kinds whose objects have a status. */
  readonly kinds: readonly string[];
  readonly clock: Clock;
}

/** Follows every push from now on; to be made before the first proxy is served. */
export function createLocalProgress(parts: LocalProgressParts): LocalProgress {
  const { distributor, connections, clock } = parts;
  const history = createRootHistory();
  const concernsOf = createPolicyConcerns(parts.isPluginOn);

  const affects = (key: ObjectKey, typeUrl: string, proxyType: ProxyType): boolean => {
    const request: PushRequest = {
      full: true,
      changed: key === MESH_CONFIG_KEY ? 'everything' : new Set([key]),
      endpoints: new Set<string>(),
      addresses: new Set<string>(),
      reasons: [],
      startMs: 0,
    };
    return distributor.generators.get(typeUrl)?.affectedBy(request, proxyType, distributor.context) ?? false;
  };
  const rootOfNonce = (nonce: string): string => nonce.slice(0, ROOT_LENGTH);
  const book = createRejectionBook({ history, affects, rootOfNonce, shortTypeName });

  const observe = (): void => {
    if (distributor.context !== undefined) {
      history.observe(distributor.root, distributor.context, clock.monotonicMs());
    }
  };
  // It is told of every push as a proxy is, and never takes a turn.
  const follower: Subscriber = {
    share: { lane: 'authenticated', peer: 'control plane', source: 'status' },
    notePush: () => {
      observe();
      return false;
    },
    takeTurn: () => ({ bytes: 0, flushed: undefined }),
  };
  distributor.add(follower);

  let last:
    | { readonly states: readonly string[]; readonly context: PushContext; readonly measured: InstanceProgress }
    | undefined;

  return {
    measure: () => {
      // The first snapshot is made without a push.
      observe();
      const { context, root } = distributor;
      if (context === undefined) return undefined;
      const list = connections.list();
      const states = statesOf(list);
      if (last?.context === context && isSameList(last.states, states)) return last.measured;
      book.update(list, context);
      history.retain(rootsInUse(list, rootOfNonce), clock.monotonicMs());
      const measured = measureProgress({
        context,
        root,
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
    stop: () => distributor.remove(follower),
  };
}

function rootsInUse(connections: readonly ProxyConnection[], rootOfNonce: (nonce: string) => string): Set<string> {
  const roots = new Set<string>();
  for (const { watches } of connections) {
    for (const { ackedRoot, sentNonce } of watches.values()) {
      roots.add(ackedRoot);
      roots.add(rootOfNonce(sentNonce));
    }
  }
  return roots;
}

/** All that is measured of connections. */
function statesOf(connections: readonly ProxyConnection[]): readonly string[] {
  const states: string[] = [];
  for (const { id, watches } of connections) {
    states.push(id);
    for (const { typeUrl, ackedRoot, rejection } of watches.values()) {
      states.push(typeUrl, ackedRoot, rejection?.nonce ?? '');
    }
  }
  return states;
}

function isSameList(first: readonly string[], second: readonly string[]): boolean {
  return first.length === second.length && first.every((item, index) => item === second[index]);
}
