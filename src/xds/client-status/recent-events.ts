import type { Clock } from '../../base/clock.js';
import { shortTypeName } from '../../envoy/type-urls.js';
import type { WorkloadIdentity } from '../../model/spiffe-id.js';
import type { Rejection } from '../discovery-protocol.js';
import type { ProxySession } from '../proxy-session.js';
import { shorten } from '../shorten.js';

export type EventKind = 'connect' | 'disconnect' | 'nack';

/** An event of one connection. It keeps nothing of the session. */
export interface ProxyEvent {
  /** Unique among the events of its kind. */
  readonly name: string;
  readonly connectionId: string;
  readonly proxy: { readonly id: string; readonly configNamespace: string };
  readonly identity: WorkloadIdentity | undefined;
  /** Of a rejection. */
  readonly rejection?: { readonly typeUrl: string; readonly code: number; readonly message: string; readonly at: Date };
}

/** The events that the types `disconnect` and `nack` show, the newest of each kind. */
export interface RecentEvents {
  /** A proxy is known from now on; clients of events see it among the connections. */
  connected(): void;
  disconnected(session: ProxySession): void;
  /** A later rejection of the same type by the same connection replaces it. */
  rejected(session: ProxySession, typeUrl: string, rejection: Rejection): void;
  /** The oldest first. */
  of(kind: 'disconnect' | 'nack'): Iterable<ProxyEvent>;
  /** Calls back soon after events of these kinds, once for all of them, until the returned function is called. */
  watch(kinds: readonly EventKind[], then: () => void): () => void;
}

/** The types of resources; the types that show events have another prefix. */
const RESOURCE_TYPES = 'type.googleapis.com/';
/** Events of a kind that are kept, of all namespaces together. */
const MAX_EVENTS = 100;
/** Events of this time are told together: a whole mesh may connect within a second. */
const TOLD_AFTER_MS = 200;

/** Name of the oldest event of the proven namespace with the most: no namespace pushes out the events of others. */
function superfluousOf(events: readonly ProxyEvent[]): string {
  const numbers = new Map<string | undefined, number>();
  for (const { identity } of events) numbers.set(identity?.namespace, (numbers.get(identity?.namespace) ?? 0) + 1);
  const most = Math.max(...numbers.values());
  return events.find(({ identity }) => numbers.get(identity?.namespace) === most)?.name ?? '';
}

export function createRecentEvents(clock: Clock): RecentEvents {
  const kept = { disconnect: new Map<string, ProxyEvent>(), nack: new Map<string, ProxyEvent>() };
  const watchers = new Set<{ readonly kinds: readonly EventKind[]; readonly then: () => void }>();
  const untold = new Set<EventKind>();

  const tell = (): void => {
    const told = new Set(untold);
    untold.clear();
    for (const { kinds, then } of [...watchers]) if (kinds.some((kind) => told.has(kind))) then();
  };

  const note = (kind: EventKind): void => {
    if (untold.size === 0 && watchers.size > 0) clock.schedule(TOLD_AFTER_MS, tell);
    if (watchers.size > 0) untold.add(kind);
  };

  const keep = (kind: 'disconnect' | 'nack', event: ProxyEvent): void => {
    const events = kept[kind];
    events.delete(event.name);
    events.set(event.name, event);
    if (events.size > MAX_EVENTS) events.delete(superfluousOf([...events.values()]));
    note(kind);
  };

  const eventOf = ({ id, proxy, identity }: ProxySession, name: string): ProxyEvent | undefined =>
    proxy && {
      ...{ name, connectionId: id, identity },
      proxy: { id: proxy.id, configNamespace: proxy.configNamespace },
    };

  return {
    connected: () => note('connect'),
    disconnected: (session) => {
      const event = eventOf(session, session.id);
      if (event !== undefined) keep('disconnect', event);
    },
    rejected: (session, typeUrl, { code, message }) => {
      // A rejection of the list of rejections would change that list, and so be sent and rejected again.
      if (!typeUrl.startsWith(RESOURCE_TYPES)) return;
      const event = eventOf(session, `${session.id}/${shortTypeName(typeUrl)}`);
      const rejection = { typeUrl, code, message: shorten(message), at: clock.now() };
      if (event !== undefined) keep('nack', { ...event, rejection });
    },
    of: (kind) => kept[kind].values(),
    watch: (kinds, then) => {
      const watcher = { kinds, then };
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}
