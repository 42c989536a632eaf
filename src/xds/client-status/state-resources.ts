import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { frameResource } from '../../envoy/message-encoder.js';
import { EMPTY_RESOURCE_SET, nextResourceSet, type ResourceSet } from '../../envoy/resource-set.js';
import { UNCACHED_DIFFS } from '../../push/diff-cache.js';
import { hasName, type NameSet, WILDCARD } from '../../push/name-set.js';
import type { ResponseCache } from '../../push/response-cache.js';
import type { Work } from '../../push/work.js';
import type { Connections } from '../connections.js';
import { LimitError } from '../limits/xds-limits.js';
import type { ProxySession } from '../proxy-session.js';
import type { ResourceProvider } from '../resource-provider.js';
import type { SessionEnvironment } from '../session-environment.js';
import type { StreamError } from '../stream-error.js';
import { encodeClient, encodeClientConfig, encodeEvent } from './client-config.js';
import type { ProxyEvent, RecentEvents } from './recent-events.js';
import type { Rights } from './rights.js';
import { eventsOf, type StateDetail } from './state-types.js';

export interface StateResourcesParts {
  readonly typeUrl: string;
  readonly detail: StateDetail;
  readonly environment: Pick<SessionEnvironment, 'distribution' | 'limits' | 'clock'>;
  readonly connections: Pick<Connections, 'list' | 'find'>;
  readonly events: RecentEvents | undefined;
  readonly rights: Rights;
  /** Whether the client gets the connections as they change. */
  readonly isEventClient: boolean;
  /** The resources have changed. */
  onChange(): void;
  /** Ends the stream. */
  fail(error: StreamError): void;
}

/** The message of each resource. */
const CLIENT_CONFIG = 'type.googleapis.com/envoy.service.status.v3.ClientConfig';

/**
 * The connected proxies that a caller may see, as resources of the debug types (docs/reference/xds.md#debug-types). A
 * resource is one connection, by its id. The state is that of the time of the request: later changes are not pushed.
 * Types of events show the newest ones, and are pushed.
 */
export class StateResources implements ResourceProvider {
  readonly mode = 'wildcard';
  /** A state that showed this subscription would change by showing it. */
  readonly isPrivate = true;
  readonly answersUnknownNames = true;
  /** The ledger tracks objects of the configuration. */
  readonly configVersion = '';
  readonly diffs = UNCACHED_DIFFS;
  readonly #parts: StateResourcesParts;
  readonly #openedAt: string;
  readonly #stopWatching: (() => void) | undefined;
  #preparations = 0;

  constructor(parts: StateResourcesParts) {
    this.#parts = parts;
    this.#openedAt = parts.environment.clock.now().toISOString();
    const kinds = eventsOf(parts.detail, parts.isEventClient);
    if (kinds.length > 0) this.#stopWatching = parts.events?.watch(kinds, parts.onChange);
  }

  close(): void {
    this.#stopWatching?.();
  }

  get typeUrl(): string {
    return this.#parts.typeUrl;
  }

  get version(): string {
    return `${this.#openedAt}/${this.#preparations}`;
  }

  get responses(): ResponseCache {
    return this.#parts.environment.distribution.responses;
  }

  isAffectedBy(): boolean {
    return false;
  }

  *prepare(names: NameSet | undefined): Work<ResourceSet> {
    const { environment, fail, typeUrl } = this.#parts;
    const most = environment.limits.clientStatusBytes;
    const isAsked = (id: string): boolean => names === undefined || hasName(names, WILDCARD) || hasName(names, id);
    this.#preparations++;
    const resources: EncodedResource[] = [];
    let bytes = 0;
    for (const seen of this.#seen(isAsked)) {
      const message = yield* this.#encode(seen);
      bytes += message.length;
      if (bytes > most) {
        const what = `the resources of type ${typeUrl} have ${bytes} bytes, more than ${most}; name fewer connections`;
        fail(new LimitError('clientStatusBytes', what));
        return EMPTY_RESOURCE_SET;
      }
      resources.push(frameResource(CLIENT_CONFIG, seen.name, message));
      yield;
    }
    return nextResourceSet(undefined, resources);
  }

  /** What the caller asks for and may see, found one by one. */
  *#seen(isAsked: (name: string) => boolean): Generator<Seen> {
    const { connections, events, rights, detail } = this.#parts;
    if (detail === 'ended' || detail === 'rejections') {
      for (const event of [...(events?.of(detail === 'ended' ? 'disconnect' : 'nack') ?? [])]) {
        if (isAsked(event.name) && rights.sees(event)) yield { name: event.name, event };
      }
      return;
    }
    for (const { id } of connections.list()) {
      const session = isAsked(id) ? connections.find(id) : undefined;
      if (session !== undefined && rights.sees(session)) yield { name: id, session };
    }
  }

  *#encode({ event, session }: Seen): Work<Buffer> {
    const { detail, rights } = this.#parts;
    if (event !== undefined) return encodeEvent(event, rights.seesContents(event));
    if (detail === 'proxies') return encodeClient(session);
    const hasReasons = rights.seesContents(session);
    return yield* encodeClientConfig({ session, hasContents: hasReasons && detail === 'contents', hasReasons });
  }
}

type Seen =
  | { readonly name: string; readonly event: ProxyEvent; readonly session?: never }
  | { readonly name: string; readonly session: ProxySession; readonly event?: never };
