import { isDeepStrictEqual } from 'node:util';
import { errorText } from '../../base/error-text.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Adapter, HandlerUse } from './adapters/adapter.js';
import type { CompiledInstance } from './compile-instance.js';
import { createResourceCounts } from './handler-resources.js';
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
   *
   * @param instancesOf the instances of the rules that call a handler. An adapter with sessions is told their types, so a
   *   handler of it with other ones is another handler
   */
  update(
    handlers: ReadonlyMap<string, HandlerObject>,
    instancesOf: (handler: string) => readonly CompiledInstance[],
  ): void;
  /** Why handlers cannot be built, by key. The same object while no handler changes. */
  readonly failures: ReadonlyMap<string, string>;
  /** Settles when all handlers are closed, also replaced ones. Never rejects. */
  close(): Promise<void>;
}

export interface HandlerTableOptions extends Omit<RunningHandlerOptions, 'resources'> {
  readonly build: (handler: HandlerObject, use: HandlerUse) => Adapter;
  readonly logger: Logger;
}

/** Handlers of one namespace that may have connections to servers that they name. */
const MAX_CONNECTED_PER_NAMESPACE = 100;
/** Handlers with a line of their own in the log, of one change of rules. */
const MAX_TOLD = 20;

export function createHandlerTable(options: HandlerTableOptions): HandlerTable {
  const { build, logger, metrics } = options;
  const counts = createResourceCounts(metrics, MAX_CONNECTED_PER_NAMESPACE);
  let running = new Map<string, RunningHandler>();
  /** By key of a running handler. */
  let typesTold = new Map<string, string>();
  /** Handlers that cannot be built, so that each is told once. */
  let failed = new Map<string, HandlerObject>();
  let failures: ReadonlyMap<string, string> = new Map();
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

  const update: HandlerTable['update'] = (handlers, instancesOf) => {
    const next = new Map<string, RunningHandler>();
    const nextTypes = new Map<string, string>();
    const nextFailed = new Map<string, HandlerObject>();
    const nextFailures = new Map<string, string>();
    let built = 0;
    let reused = 0;
    let newlyFailed = 0;
    for (const [key, object] of handlers) {
      const known = running.get(key);
      const instances = instancesOf(key);
      const types = typesOf(object, instances);
      if (known !== undefined && isSame(known.object, object) && typesTold.get(key) === types) {
        next.set(key, known);
        nextTypes.set(key, types);
        reused++;
        continue;
      }
      const resources = counts.open(key);
      try {
        const adapter = build(object, { resources, instances });
        next.set(key, createRunningHandler(object, adapter, { ...options, resources }));
        nextTypes.set(key, types);
        built++;
      } catch (error) {
        resources.release();
        nextFailed.set(key, object);
        nextFailures.set(key, errorText(error));
        if (known !== undefined) {
          next.set(key, known);
          nextTypes.set(key, typesTold.get(key) ?? '');
        }
        const told = failed.get(key);
        if ((told === undefined || !isSame(told, object)) && ++newlyFailed <= MAX_TOLD) {
          logger.error({ err: error, handler: key, keepsFormer: known !== undefined }, 'handler of rules does not run');
        }
      }
    }
    if (newlyFailed > MAX_TOLD) {
      logger.error(
        { handlers: newlyFailed - MAX_TOLD },
        'more handlers of rules do not run, their status has the reasons',
      );
    }
    const closed = [...running].filter(([key, handler]) => next.get(key) !== handler);
    running = next;
    typesTold = nextTypes;
    failed = nextFailed;
    failures = nextFailures;
    metrics.transition({ built, reused, closed: closed.length, buildFailures: failed.size });
    for (const [, handler] of closed) retire(handler);
  };

  return {
    get: (key) => running.get(key),
    update,
    get failures() {
      return failures;
    },
    close: async () => {
      update(new Map(), () => []);
      await Promise.all(closing);
    },
  };
}

function isSame(one: HandlerObject, other: HandlerObject): boolean {
  if (one.problem !== other.problem || !isSameAuthorization(one.authorization, other.authorization)) return false;
  if (one.spec === other.spec && one.adapter === other.adapter) return true;
  if (one.adapter.type === 'own' || other.adapter.type === 'own') {
    // The parameters are in the adapter's form there.
    return isDeepStrictEqual(ownParts(one), ownParts(other));
  }
  const { compiledAdapter, params } = one.spec;
  return compiledAdapter === other.spec.compiledAdapter && isDeepStrictEqual(params, other.spec.params);
}

function isSameAuthorization(one: HandlerObject['authorization'], other: HandlerObject['authorization']): boolean {
  if (one === undefined || other === undefined) return one === other;
  const { policies, ...settings } = one;
  const { policies: otherPolicies, ...otherSettings } = other;
  return (
    policies.length === otherPolicies.length &&
    policies.every((policy, index) => policy === otherPolicies[index]) &&
    isDeepStrictEqual(settings, otherSettings)
  );
}

function ownParts({ spec, adapter }: HandlerObject): unknown {
  if (adapter.type === 'compiled') return undefined;
  const { key, isSessionBased, isOfOperator, config } = adapter;
  return { key, isSessionBased, isOfOperator, config, connection: spec.connection };
}

/** What a session tells about the instances of a handler; empty for handlers without a session. */
function typesOf({ adapter }: HandlerObject, instances: readonly CompiledInstance[]): string {
  if (adapter.type !== 'own' || !adapter.isSessionBased) return '';
  const told = instances.map(({ fullName, template, wire, types }) => [
    fullName,
    wire?.method ?? template,
    Array.from(types, ([map, those]) => [map, ...those]),
  ]);
  return JSON.stringify(told);
}
