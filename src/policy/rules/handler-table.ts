import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '../../telemetry/logger.js';
import type { Adapter } from './adapters/adapter.js';
import { createResourceCounts, type HandlerResources } from './handler-resources.js';
import type { HandlerObject } from './rule-objects.js';
import { createRunningHandler, type RunningHandler, type RunningHandlerOptions } from './running-handler.js';

/** The handlers that rules in force name. */
export interface HandlerTable {
  /** Undefined for a handler that could not be built. */
  get(key: string): RunningHandler | undefined;
  /**
   * Builds new handlers and closes those that are no longer named, each when its last call has ended. A handler with the
   * same adapter and parameters stays, with its counters. A changed handler that cannot be built leaves the former one in
   * force.
   */
  update(handlers: ReadonlyMap<string, HandlerObject>): void;
  /** Settles when all handlers are closed, also replaced ones. Never rejects. */
  close(): Promise<void>;
}

export interface HandlerTableOptions extends Omit<RunningHandlerOptions, 'resources'> {
  readonly build: (handler: HandlerObject, resources: HandlerResources) => Adapter;
  readonly logger: Logger;
}

/** Handlers of one namespace that may have connections to servers that they name. */
const MAX_CONNECTED_PER_NAMESPACE = 100;

export function createHandlerTable(options: HandlerTableOptions): HandlerTable {
  const { build, logger, metrics } = options;
  const counts = createResourceCounts(metrics, MAX_CONNECTED_PER_NAMESPACE);
  let running = new Map<string, RunningHandler>();
  /** Handlers that cannot be built, so that each is told once. */
  let failed = new Map<string, HandlerObject>();
  const closing = new Set<Promise<void>>();

  const retire = (handler: RunningHandler): void => {
    const closed = handler
      .retire()
      .catch((error: unknown) => {
        metrics.closeFailed();
        logger.warn({ err: error, handler: handler.object.key }, 'handler of rules not closed');
      })
      .finally(() => closing.delete(closed));
    closing.add(closed);
  };

  const update = (handlers: ReadonlyMap<string, HandlerObject>): void => {
    const next = new Map<string, RunningHandler>();
    const nextFailed = new Map<string, HandlerObject>();
    let built = 0;
    let reused = 0;
    for (const [key, object] of handlers) {
      const known = running.get(key);
      if (known !== undefined && isSame(known.object, object)) {
        next.set(key, known);
        reused++;
        continue;
      }
      const resources = counts.open(key);
      try {
        next.set(key, createRunningHandler(object, build(object, resources), { ...options, resources }));
        built++;
      } catch (error) {
        resources.release();
        nextFailed.set(key, object);
        if (known !== undefined) next.set(key, known);
        const told = failed.get(key);
        if (told === undefined || !isSame(told, object)) {
          logger.error({ err: error, handler: key, keepsFormer: known !== undefined }, 'handler of rules does not run');
        }
      }
    }
    const closed = [...running].filter(([key, handler]) => next.get(key) !== handler);
    running = next;
    failed = nextFailed;
    metrics.transition({ built, reused, closed: closed.length, buildFailures: failed.size });
    for (const [, handler] of closed) retire(handler);
  };

  return {
    get: (key) => running.get(key),
    update,
    close: async () => {
      update(new Map());
      await Promise.all(closing);
    },
  };
}

function isSame({ spec: one }: HandlerObject, { spec: other }: HandlerObject): boolean {
  return one.compiledAdapter === other.compiledAdapter && isDeepStrictEqual(one.params, other.params);
}
