import type { LimitedLog } from '../../telemetry/limited-log.js';
import type { QuotaCharge } from '../client/compile-quota-specs.js';
import type { Adapter, AdapterDecision, QuotaGrant } from './adapters/adapter.js';
import type { CompiledInstance } from './compile-instance.js';
import type { HandlerTable } from './handler-table.js';
import type { OutputRecord } from './headers/output-record.js';
import type { InstanceBuilder } from './instance-builder.js';
import type { RuleMetrics } from './rule-metrics.js';
import { type Destination, quotaNames } from './rule-set.js';
import type { RunningHandler } from './running-handler.js';

/** An amount of a quota, by the name that a QuotaSpec or another policy server gives it. */
export interface Charge {
  readonly quota: string;
  readonly amount: number;
  readonly bestEffort: boolean;
}

/** The charges of a request of a proxy, which gets the whole amount or nothing. */
export function chargesOf(quotas: readonly QuotaCharge[]): readonly Charge[] {
  return quotas.map(({ quota, charge }) => ({ quota, amount: charge, bestEffort: false }));
}

export interface AskedRequest {
  readonly charges: readonly Charge[];
  readonly deduplicationId: string | undefined;
  /** Whether quotas are counted apart from others. Adapters that are programs of their own count none then. */
  readonly isDryRun?: boolean;
  /** Gets the outputs of checks; undefined if nothing reads them. */
  readonly outputs?: OutputRecord | undefined;
}

/** What the handlers said about a request. */
export interface Outcome {
  /** Decisions of checks, in the order of the rules; the last one is the first refusal, if there is one. */
  readonly decisions: readonly AdapterDecision[];
  /** By quota name. Without an entry no rule counts the quota. */
  readonly grants: ReadonlyMap<string, QuotaGrant>;
  /** Whether a handler failed, or a value was missing for it. */
  readonly isFailed: boolean;
}

export interface DispatchOptions {
  readonly metrics: RuleMetrics;
  readonly limitedLog: LimitedLog;
}

interface Call {
  /** Undefined for a handler that could not be built: the call fails. */
  readonly handler: RunningHandler | undefined;
  readonly instance: CompiledInstance;
}

/**
 * Calls the handlers of matching rules: first all checks, then, if none refuses, the quotas that the request charges. Without
 * a promise if no handler waits. A handler that does not run has failed for each request that needs it.
 */
export function dispatchRequest(
  destinations: readonly Destination[],
  asked: AskedRequest,
  builder: InstanceBuilder,
  handlers: Pick<HandlerTable, 'get'>,
  { metrics, limitedLog }: DispatchOptions,
): Outcome | Promise<Outcome> {
  if (destinations.length === 0) return NOTHING;
  const state = new RequestState(limitedLog);
  const { checks, quotas, called } = callsOf(destinations, handlers);

  const charge = (): undefined | Promise<unknown> => {
    if (state.isRefused || asked.charges.length === 0) return undefined;
    return afterAll(quotas, ({ handler, instance }) => {
      const names = quotaNames(instance);
      return afterAll(
        asked.charges.filter(({ quota }) => names.includes(quota)),
        ({ quota, amount, bestEffort }) => {
          const { deduplicationId, isDryRun } = asked;
          if (isDryRun && handler?.object.adapter.type === 'own') return undefined;
          return state.run(
            handler,
            instance,
            builder,
            (adapter, made) => adapter.quota?.(made, { amount, bestEffort, deduplicationId, isDryRun }),
            (grant) => state.granted(quota, grant),
          );
        },
      );
    });
  };
  const end = (): Outcome => {
    metrics.dispatched(called, builder.built);
    return state;
  };

  const checked = afterAll(checks, ({ handler, instance }) =>
    state.isRefused
      ? undefined
      : state.run(
          handler,
          instance,
          builder,
          (adapter, made) => adapter.check?.(made),
          takerOf(state, asked, handler, instance),
        ),
  );
  if (checked instanceof Promise) return checked.then(charge).then(end);
  const charged = charge();
  return charged instanceof Promise ? charged.then(end) : end();
}

const NOTHING: Outcome = { decisions: [], grants: new Map(), isFailed: false };

class RequestState implements Outcome {
  readonly decisions: AdapterDecision[] = [];
  readonly grants = new Map<string, QuotaGrant>();
  isFailed = false;
  isRefused = false;
  readonly #limitedLog: LimitedLog;

  constructor(limitedLog: LimitedLog) {
    this.#limitedLog = limitedLog;
  }

  /** Calls a handler with an instance; a failure is noted. */
  run<Result>(
    handler: RunningHandler | undefined,
    compiled: CompiledInstance,
    builder: InstanceBuilder,
    call: (
      adapter: Adapter,
      instance: NonNullable<ReturnType<InstanceBuilder['build']>>,
    ) => Result | Promise<Result> | undefined,
    take: (result: Result) => void,
  ): undefined | Promise<void> {
    const instance = handler && builder.build(compiled);
    if (handler === undefined || instance === undefined) {
      this.isFailed = true;
      return undefined;
    }
    const noted = (result: Result | undefined): void => {
      if (result !== undefined) take(result);
    };
    try {
      const result = handler.call<Result | undefined>(compiled.template, () => call(handler.adapter, instance));
      if (result instanceof Promise) return result.then(noted).catch((error) => this.#failed(handler, error));
      noted(result);
    } catch (error) {
      this.#failed(handler, error);
    }
    return undefined;
  }

  readonly decided = (decision: AdapterDecision): void => {
    // The first refusal stays the last decision.
    if (this.isRefused) return;
    this.decisions.push(decision);
    this.isRefused = decision.status.code !== 'OK';
  };

  granted(quota: string, grant: QuotaGrant): void {
    const known = this.grants.get(quota);
    if (known === undefined || grant.grantedAmount < known.grantedAmount) this.grants.set(quota, grant);
  }

  #failed(handler: RunningHandler, error: unknown): void {
    this.isFailed = true;
    const fields = { err: error, handler: handler.object.key };
    this.#limitedLog.warn(fields, 'handler of rules failed, the fail policy of the request decides');
  }
}

/** Takes the decision of a check; with its output where header operations read outputs. */
function takerOf(
  state: RequestState,
  { outputs }: AskedRequest,
  handler: RunningHandler | undefined,
  instance: CompiledInstance,
): (decision: AdapterDecision) => void {
  if (outputs === undefined || handler === undefined) return state.decided;
  return (decision) => {
    state.decided(decision);
    if (decision.output !== undefined) outputs.add(handler.object.key, instance.key, decision.output);
  };
}

function callsOf(destinations: readonly Destination[], handlers: Pick<HandlerTable, 'get'>) {
  const checks: Call[] = [];
  const quotas: Call[] = [];
  let called = 0;
  for (const { handler: object, instances } of destinations) {
    const handler = handlers.get(object.key);
    if (handler !== undefined) called++;
    for (const instance of instances) (instance.variety === 'quota' ? quotas : checks).push({ handler, instance });
  }
  return { checks, quotas, called };
}

/** Runs all; waits only for those that return a promise, all at the same time. */
function afterAll<Item>(
  items: readonly Item[],
  run: (item: Item) => undefined | Promise<unknown>,
): undefined | Promise<unknown> {
  let waiting: Promise<unknown>[] | undefined;
  for (const item of items) {
    const result = run(item);
    if (result instanceof Promise) {
      waiting ??= [];
      waiting.push(result);
    }
  }
  return waiting === undefined ? undefined : Promise.all(waiting);
}
