import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { frameResource } from '../../envoy/message-encoder.js';
import { EMPTY_RESOURCE_SET, nextResourceSet, type ResourceSet } from '../../envoy/resource-set.js';
import { UNCACHED_DIFFS } from '../../push/diff-cache.js';
import { hasName, type NameSet, WILDCARD } from '../../push/name-set.js';
import type { ResponseCache } from '../../push/response-cache.js';
import type { Work } from '../../push/work.js';
import type { Connections } from '../connections.js';
import type { OwnBytes } from '../limits/held-roots.js';
import type { PeerStream } from '../limits/peers.js';
import { LimitError } from '../limits/xds-limits.js';
import type { ProxySession } from '../proxy-session.js';
import type { ResourceProvider } from '../resource-provider.js';
import type { SessionEnvironment } from '../session-environment.js';
import { StreamError } from '../stream-error.js';
import { encodeClient, encodeClientConfig, encodeEvent } from './client-config.js';
import type { ProxyEvent, RecentEvents } from './recent-events.js';
import type { Rights } from './rights.js';
import { eventsOf, type StateDetail } from './state-types.js';

export interface StateResourcesParts {
  readonly typeUrl: string;
  readonly detail: StateDetail;
  readonly environment: Pick<SessionEnvironment, 'distribution' | 'limits' | 'clock'>;
  readonly connections: Pick<Connections, 'ids' | 'find'>;
  /** Counts the answers: no other stream shares them. */
  readonly account: Pick<PeerStream, 'replace' | 'checkBytes'>;
  readonly events: RecentEvents | undefined;
  readonly rights: Rights;
  /** Whether the client gets the connections as they change. */
  readonly isEventClient: boolean;
  /** The resources have changed. */
  onChange(): void;
  /** Ends the stream. */
  fail(error: StreamError): void;
}

/** Memory of a resource beside the bytes of its message: its name, its version, and the type and the node in it. */
const RESOURCE_BYTES = 512;
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
  readonly isOrdered = true;
  /** The ledger tracks objects of the configuration. */
  readonly configVersion = '';
  readonly diffs = UNCACHED_DIFFS;
  readonly #parts: StateResourcesParts;
  readonly #openedAt: string;
  readonly #stopWatching: (() => void) | undefined;
  #preparations = 0;
  /** Size of the newest answer, and of the one that is being made. */
  #held: OwnBytes | undefined;
  #making: OwnBytes | undefined;

  constructor(parts: StateResourcesParts) {
    this.#parts = parts;
    this.#openedAt = parts.environment.clock.now().toISOString();
    const kinds = eventsOf(parts.detail, parts.isEventClient);
    if (kinds.length > 0) this.#stopWatching = parts.events?.watch(kinds, parts.onChange);
  }

  close(): void {
    this.#stopWatching?.();
    const { account } = this.#parts;
    this.#held = account.replace(this.#held, undefined);
    this.#making = account.replace(this.#making, undefined);
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
    const { account, fail } = this.#parts;
    const isAsked = (id: string): boolean => names === undefined || hasName(names, WILDCARD) || hasName(names, id);
    this.#preparations++;
    this.#making = account.replace(this.#making, undefined);
    const resources: EncodedResource[] = [];
    try {
      for (const seen of this.#seen(isAsked)) {
        this.#grow(RESOURCE_BYTES);
        resources.push(frameResource(CLIENT_CONFIG, seen.name, yield* this.#encode(seen)));
        yield;
      }
    } catch (error) {
      if (!(error instanceof StreamError)) throw error;
      fail(error);
      return EMPTY_RESOURCE_SET;
    }
    account.replace(this.#held, undefined);
    this.#held = this.#making;
    this.#making = undefined;
    return nextResourceSet(undefined, resources);
  }

  /** @throws LimitError if the answer, or all that the peer holds, is too large */
  #grow(more: number): void {
    const { account, environment, typeUrl } = this.#parts;
    const { clientStatusBytes: most } = environment.limits;
    const bytes = (this.#making?.ownBytes ?? 0) + more;
    if (bytes > most) {
      const what = `the resources of type ${typeUrl} have ${bytes} bytes, more than ${most}; name fewer connections`;
      throw new LimitError('clientStatusBytes', what);
    }
    this.#making = account.replace(this.#making, { ownBytes: bytes });
    account.checkBytes();
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
    for (const id of connections.ids()) {
      const session = isAsked(id) ? connections.find(id) : undefined;
      if (session !== undefined && rights.sees(session)) yield { name: id, session };
    }
  }

  *#encode({ event, session }: Seen): Work<Buffer> {
    const { detail, rights } = this.#parts;
    if (event !== undefined) return encodeEvent(event, rights.seesContents(event));
    if (detail === 'proxies') return encodeClient(session);
    const hasReasons = rights.seesContents(session);
    const onBytes = (bytes: number): void => this.#grow(bytes);
    return yield* encodeClientConfig({
      session,
      hasContents: hasReasons && detail === 'contents',
      hasReasons,
      onBytes,
    });
  }
}

type Seen =
  | { readonly name: string; readonly event: ProxyEvent; readonly session?: never }
  | { readonly name: string; readonly session: ProxySession; readonly event?: never };
