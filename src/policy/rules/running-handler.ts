import type { Clock } from '../../base/clock.js';
import type { LimitedLog } from '../../telemetry/limited-log.js';
import type { Adapter } from './adapters/adapter.js';
import type { HandlerResources } from './handler-resources.js';
import type { Instance } from './instance.js';
import type { RuleMetrics } from './rule-metrics.js';
import type { HandlerObject } from './rule-objects.js';

/** A handler in force. */
export interface RunningHandler {
  readonly object: HandlerObject;
  readonly adapter: Adapter;
  /**
   * Calls the adapter within the deadline. Rejects or throws when the call fails, and counts it.
   *
   * @param template of the instance
   */
  call<Result>(template: string, run: () => Result | Promise<Result>): Result | Promise<Result>;
  /** Adds an instance to the batch that is sent next. */
  report(instance: Instance): void;
  /** Settles when the last batch is sent, the last call has ended, and the adapter is closed. Rejects if closing fails. */
  retire(): Promise<void>;
}

export interface RunningHandlerOptions {
  readonly clock: Clock;
  readonly metrics: RuleMetrics;
  readonly limitedLog: LimitedLog;
  /** Given back when the handler has ended. */
  readonly resources: HandlerResources & { release(): void };
}

/** Longest time of a call, unless the adapter has its own. */
const CALL_TIMEOUT_MS = 1000;
/** A batch is sent when it has this many instances, or when its first one is this old. */
const BATCH_INSTANCES = 256;
const BATCH_MS = 100;
/** Batches that wait for their adapter. Further reports are dropped. */
const MAX_BATCHES = 16;

export function createRunningHandler(
  object: HandlerObject,
  adapter: Adapter,
  { clock, metrics, limitedLog, resources }: RunningHandlerOptions,
): RunningHandler {
  const { key } = object;
  const adapterName = object.adapter.type === 'own' ? object.adapter.key : (object.spec.compiledAdapter ?? '');
  let calls = 0;
  let onIdle: (() => void) | undefined;
  let batch: Instance[] = [];
  let cancelTimer: (() => void) | undefined;
  let batchesUnderWay = 0;

  const wait = (): (() => void) => {
    calls++;
    const end = resources.worker();
    return () => {
      calls--;
      end();
      if (calls === 0) onIdle?.();
    };
  };
  const call = <Result>(template: string, run: () => Result | Promise<Result>): Result | Promise<Result> => {
    const startMs = clock.monotonicMs();
    const ended = (isError: boolean): void =>
      metrics.called({ template, handler: key, adapter: adapterName }, isError, clock.monotonicMs() - startMs);
    try {
      const result = run();
      if (!(result instanceof Promise)) {
        ended(false);
        return result;
      }
      const waited = wait();
      result.then(waited, waited);
      return withDeadline(result, adapter.timeoutMs ?? CALL_TIMEOUT_MS, clock).then(
        (settled) => {
          ended(false);
          return settled;
        },
        (error: unknown) => {
          ended(true);
          throw error;
        },
      );
    } catch (error) {
      ended(true);
      throw error;
    }
  };

  const reportFailed = (error: unknown, reports: number): void =>
    limitedLog.warn({ err: error, handler: key, reports }, 'reports of rules lost: the handler did not take them');

  const sendBatch = (): void => {
    cancelTimer?.();
    cancelTimer = undefined;
    const byTemplate = new Map<string, Instance[]>();
    for (const instance of batch) {
      const known = byTemplate.get(instance.template);
      if (known === undefined) byTemplate.set(instance.template, [instance]);
      else known.push(instance);
    }
    batch = [];
    for (const [template, instances] of byTemplate) {
      if (batchesUnderWay >= MAX_BATCHES) {
        reportFailed(new Error(`${MAX_BATCHES} batches wait for the handler`), instances.length);
        continue;
      }
      try {
        const sent = call(template, () => adapter.report?.(instances));
        if (!(sent instanceof Promise)) continue;
        batchesUnderWay++;
        sent
          .catch((error: unknown) => reportFailed(error, instances.length))
          .finally(() => {
            batchesUnderWay--;
          });
      } catch (error) {
        reportFailed(error, instances.length);
      }
    }
  };

  return {
    object,
    adapter,
    call,
    report: (instance) => {
      batch.push(instance);
      if (batch.length >= BATCH_INSTANCES) sendBatch();
      else if (cancelTimer === undefined) {
        const cancel = clock.schedule(BATCH_MS, sendBatch);
        const end = resources.daemon();
        cancelTimer = () => {
          cancel();
          end();
        };
      }
    },
    retire: async () => {
      if (batch.length > 0) sendBatch();
      if (calls > 0) {
        await new Promise<void>((resolve) => {
          onIdle = resolve;
        });
      }
      try {
        await adapter.close();
      } finally {
        resources.release();
      }
    },
  };
}

function withDeadline<Result>(result: Promise<Result>, timeoutMs: number, clock: Clock): Promise<Result> {
  return new Promise((resolve, reject) => {
    const cancel = clock.schedule(timeoutMs, () =>
      reject(new Error(`the handler did not answer within ${timeoutMs} ms`)),
    );
    result.then(resolve, reject).finally(cancel);
  });
}
