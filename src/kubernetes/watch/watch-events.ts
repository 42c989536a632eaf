import { isRecord } from '../../base/record.js';
import type { ApiClient, RequestLimits } from '../client/api-client.js';
import { ApiError } from '../client/api-error.js';
import { createLineSplitter } from './line-splitter.js';
import { isRawObject, type RawObject } from './raw-object.js';

export interface ObjectEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: RawObject;
}

/** The API server, or a proxy on the way, sent data that is not a watch event. */
export class UnreadableEventError extends Error {
  constructor() {
    super('the API server sent a watch event that cannot be read');
    this.name = 'UnreadableEventError';
  }
}

export interface WatchHandlers {
  /** The API server has opened the watch. Returns false if the watcher was stopped meanwhile. */
  onOpen(): boolean;
  /** Called with events that arrived together, and the resource version from which to continue after them. */
  onEvents(events: readonly ObjectEvent[], resourceVersion: string): void;
}

export interface WatchOptions extends RequestLimits {
  readonly resourceVersion: string;
  /** The API server ends the watch after this long. */
  readonly timeoutSeconds: number;
}

/**
 * Watches from a resource version on. Settles when the API server ends the watch in good order.
 *
 * @throws ApiError when the API server rejects the watch or ends it with an error; another error when the connection
 *   breaks or carries unreadable data. Events delivered before stay valid, and no event between them was skipped.
 */
export async function watchEvents(
  api: ApiClient,
  path: string,
  { resourceVersion, timeoutSeconds, signal, idleMs }: WatchOptions,
  { onOpen, onEvents }: WatchHandlers,
): Promise<void> {
  const query = { watch: 'true', allowWatchBookmarks: 'true', resourceVersion, timeoutSeconds };
  const stream = await api.open(path, query, { signal, idleMs });
  if (!onOpen()) {
    stream.destroy();
    return;
  }
  const split = createLineSplitter();
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const batch = readBatch(split(chunk));
    // A destroyed stream still delivers buffered data; after a stop it is dropped.
    if (signal.aborted) return;
    if (batch.resourceVersion !== undefined) onEvents(batch.events, batch.resourceVersion);
    if (batch.error !== undefined) {
      stream.destroy();
      throw batch.error;
    }
  }
}

interface Batch {
  readonly events: readonly ObjectEvent[];
  /** Version of the last event or bookmark; undefined when there was none. */
  readonly resourceVersion: string | undefined;
  /** The error that followed the events. */
  readonly error: Error | undefined;
}

function readBatch(lines: readonly string[]): Batch {
  const events: ObjectEvent[] = [];
  let resourceVersion: string | undefined;
  for (const line of lines) {
    const event = readEvent(line);
    if (event instanceof Error) return { events, resourceVersion, error: event };
    resourceVersion = event.object.metadata.resourceVersion;
    if (event.type !== 'BOOKMARK') events.push(event as ObjectEvent);
  }
  return { events, resourceVersion, error: undefined };
}

type WatchEvent = { readonly type: ObjectEvent['type'] | 'BOOKMARK'; readonly object: RawObject };

function readEvent(line: string): WatchEvent | Error {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    // The parser's message would quote the object, which can be a secret.
    return new UnreadableEventError();
  }
  if (!isRecord(event)) return new UnreadableEventError();
  const { type, object } = event;
  if (type === 'ERROR') {
    return new ApiError(isRecord(object) && typeof object['code'] === 'number' ? object['code'] : 500, object);
  }
  if (type === 'BOOKMARK' && isRecord(object)) {
    // A bookmark's object has no name.
    const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
    const version = metadata['resourceVersion'];
    if (typeof version === 'string') return { type, object: { metadata: { name: '', resourceVersion: version } } };
  }
  if ((type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') && isRawObject(object)) return { type, object };
  return new UnreadableEventError();
}
