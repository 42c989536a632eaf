import { createBackoff } from '../../base/backoff.js';
import type { Clock } from '../../base/clock.js';
import type { ApiClient } from '../client/api-client.js';
import { ApiError } from '../client/api-error.js';
import { IdleError } from '../client/http-exchange.js';
import { judgeFailure, type ReflectorState } from './judge-failure.js';
import { listObjects } from './list-objects.js';
import { pause } from './pause.js';
import type { RawObject } from './raw-object.js';
import { pathsOf, type Resource } from './resource.js';
import { isOlderVersion } from './resource-version.js';
import { type ObjectEvent, UnreadableEventError, watchEvents } from './watch-events.js';
import type { WatchTiming } from './watch-timing.js';

/** A list that is being read. */
export interface Replacement {
  add(objects: readonly RawObject[]): void;
  /** The list is complete and replaces the former objects. */
  commit(): void;
}

/** Takes the objects that a reflector reads. */
export interface ReflectorSink {
  replace(): Replacement;
  apply(events: readonly ObjectEvent[]): void;
  /** Whether the sink has no objects. */
  isEmpty(): boolean;
}

export interface ReflectorOptions {
  readonly resource: Resource;
  readonly api: ApiClient;
  readonly sink: ReflectorSink;
  readonly clock: Clock;
  readonly timing: WatchTiming;
  /** From 0 up to, not including, 1: for jitter. */
  readonly random: () => number;
  /** Called whenever the state becomes known again, changed or not. */
  readonly onState: (state: ReflectorState) => void;
  readonly onWarnings: (warnings: readonly string[]) => void;
}

/** The API server ends a watch after one to two times this long, at random, so that watches spread over API servers. */
const WATCH_SECONDS = 300;
/**
 * Keeps a sink equal to one resource of the API server. It lists the objects and then watches for changes. It lists
 * again when the watch loses its place (410), and retries with back-off after any other error. Settles when the signal
 * is aborted, and never rejects.
 */
export async function runReflector(options: ReflectorOptions, signal: AbortSignal): Promise<void> {
  const { resource, api, sink, clock, timing, random, onState } = options;
  const backoff = createBackoff({ initialMs: timing.retryMs, maxMs: timing.maxRetryMs, random });
  const paths = pathsOf(resource);
  let place: { readonly path: string; readonly resourceVersion: string } | undefined;
  let misses = 0;
  /** When requests began to fail. */
  let troubleSinceMs: number | undefined;
  /** When the watch ended that `place` continues. */
  let lostSinceMs: number | undefined;

  const list = async (): Promise<void> => {
    for (const [index, path] of paths.entries()) {
      const replacement = sink.replace();
      try {
        const resourceVersion = await listObjects(
          api,
          path,
          { signal, idleMs: timing.listIdleMs },
          { onPage: replacement.add, onWarnings: options.onWarnings },
        );
        replacement.commit();
        place = { path, resourceVersion };
        lostSinceMs = undefined;
        return;
      } catch (error) {
        const isLast = index === paths.length - 1;
        if (isLast || !(error instanceof ApiError && error.status === 404)) throw error;
      }
    }
  };

  const watch = async ({ path, resourceVersion }: NonNullable<typeof place>): Promise<void> => {
    const timeoutSeconds = Math.round(WATCH_SECONDS * (1 + random()));
    const startMs = clock.monotonicMs();
    let isOpen = false;
    try {
      await watchEvents(
        api,
        path,
        { resourceVersion, timeoutSeconds, signal, idleMs: timing.watchIdleMs },
        {
          onOpen: () => {
            if (lostSinceMs !== undefined && clock.monotonicMs() - lostSinceMs >= timing.outageListMs) {
              // A restored cluster numbers its versions from an earlier point: it accepts a watch from a later version
              // and sends no events.
              place = undefined;
              return false;
            }
            isOpen = true;
            lostSinceMs = undefined;
            troubleSinceMs = undefined;
            onState({ type: 'synced' });
            return true;
          },
          onEvents: (events, next) => {
            if (isOlderVersion(next, place?.resourceVersion ?? '')) throw new UnreadableEventError();
            sink.apply(events);
            place = { path, resourceVersion: next };
          },
        },
      );
    } catch (error) {
      const isAnswer = error instanceof ApiError || error instanceof UnreadableEventError;
      // A running watch would give this answer again from the same place.
      if (isOpen && isAnswer) place = undefined;
      // An API server that was down can come back restored, as above.
      if (!isOpen && !isAnswer) place = undefined;
      if (!(isOpen && error instanceof IdleError)) throw error;
      // Either the watch is quiet, or a proxy on the way drops its data.
      place = undefined;
    } finally {
      if (clock.monotonicMs() - startMs >= timing.healthyMs) backoff.reset();
    }
    // An API server that ends every watch at once must not be asked again without a pause.
    if (isOpen && clock.monotonicMs() - startMs < timing.healthyMs) await pause(clock, backoff.nextMs(), signal);
  };

  /** Applies the consequences of a failure, and returns the time to wait in milliseconds. */
  const conclude = (error: unknown, verb: 'list' | 'watch'): number => {
    troubleSinceMs ??= clock.monotonicMs();
    if (verb === 'watch') lostSinceMs ??= clock.monotonicMs();
    const isLasting = clock.monotonicMs() - troubleSinceMs >= timing.refusalGraceMs;
    misses = error instanceof ApiError && error.status === 404 ? misses + 1 : 0;
    const { losesPlace, state } = judgeFailure({ error, verb, isLasting, misses, isEmpty: sink.isEmpty() });
    if (losesPlace) place = undefined;
    if (state?.type === 'missing') sink.replace().commit();
    if (state !== undefined) onState(state);
    const waitMs = Math.max(backoff.nextMs(), (error instanceof ApiError ? error.retryAfterMs : undefined) ?? 0);
    if (state?.type !== 'missing') return waitMs;
    backoff.reset();
    troubleSinceMs = undefined;
    return timing.missingRetryMs * (0.5 + random() / 2);
  };

  while (!signal.aborted) {
    const verb = place === undefined ? 'list' : 'watch';
    try {
      if (place === undefined) await list();
      else await watch(place);
      misses = 0;
    } catch (error) {
      if (signal.aborted) return;
      await pause(clock, conclude(error, verb), signal);
    }
  }
}
