import type { Clock } from '../../base/clock.js';
import type { TemplateWire } from '../../config/policy-rules/descriptors/template-wire.js';
import type { Adapter } from '../rules/adapters/adapter.js';
import type { ReportBudget } from '../rules/reports/report-budget.js';
import { createReportQueue } from '../rules/reports/report-queue.js';
import { AdapterError } from './adapter-error.js';
import { createCheckCache } from './check-cache.js';
import type { ConnectedAdapter } from './connected-adapter.js';
import { createTemplates } from './templates.js';
import { wireName } from './wire/encode-instance.js';
import { readCheckAnswer, readQuotaAnswer } from './wire/read-answer.js';

export interface OwnAdapterOptions {
  readonly adapter: ConnectedAdapter;
  readonly timeoutMs: number;
  readonly budget: ReportBudget;
  /** Makes an id that no other call has. */
  readonly createId: () => string;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly onReportsSent: (reports: number) => void;
  readonly onReportsLost: (reports: number, error: Error) => void;
}

/** Checks and quotas under way. Further ones fail at once, so that a slow adapter costs no more than these. */
const MAX_CALLS = 256;
/** Within it a closed handler sends its last reports. */
const CLOSE_MS = 5000;
/** The deadline of the dispatcher comes after that of the call, whose error says more. */
const MARGIN_MS = 250;

/** The running part of a handler whose adapter is a program of its own. */
export function createOwnAdapter(options: OwnAdapterOptions): Adapter {
  const { adapter, timeoutMs, createId, clock } = options;
  const cache = createCheckCache(clock);
  const templates = createTemplates();
  const reports = createReportQueue<TemplateWire>({
    ...options,
    send: async ({ kind, instances, dedupId }) => {
      await adapter.call(kind, { instances, dedupId });
    },
    codeOf: (error) => (error instanceof AdapterError ? error.code : 'INTERNAL'),
    onSent: options.onReportsSent,
    onLost: options.onReportsLost,
  });
  const cancelReady = adapter.onReady(reports.retryNow);
  let calls = 0;
  const limited = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (calls >= MAX_CALLS) throw new AdapterError('UNAVAILABLE', `${MAX_CALLS} calls wait for the adapter`);
    calls++;
    try {
      return await run();
    } finally {
      calls--;
    }
  };

  return {
    check: (instance) => {
      const { wire, encode } = templates.of(instance);
      const encoded = encode(instance);
      const key = `${wire.method} ${Buffer.from(encoded).toString('latin1')}`;
      const known = cache.get(key);
      if (known !== undefined) return known;
      return limited(async () => {
        const answer = await adapter.call(wire, { instances: [encoded], dedupId: createId() });
        const decision = readCheckAnswer(wire, answer);
        cache.put(key, decision, answer.length);
        return decision;
      });
    },
    quota: (instance, { amount, bestEffort, deduplicationId }) => {
      const { wire, encode } = templates.of(instance);
      const name = wireName(instance);
      const encoded = encode(instance);
      return limited(async () => {
        const quota = { name, amount, bestEffort };
        const dedupId = deduplicationId ?? createId();
        const grant = readQuotaAnswer(await adapter.call(wire, { instances: [encoded], dedupId, quota }), name);
        const isPartial = grant.grantedAmount < amount && !bestEffort;
        return isPartial ? { ...grant, grantedAmount: 0 } : grant;
      });
    },
    report: (instances) => {
      const byTemplate = new Map<TemplateWire, Uint8Array[]>();
      for (const instance of instances) {
        const { wire, encode } = templates.of(instance);
        const known = byTemplate.get(wire);
        if (known === undefined) byTemplate.set(wire, [encode(instance)]);
        else known.push(encode(instance));
      }
      for (const [wire, encoded] of byTemplate) reports.add(wire, encoded);
    },
    close: async () => {
      await reports.close(CLOSE_MS);
      cancelReady();
      await adapter.close();
    },
    timeoutMs: timeoutMs + MARGIN_MS,
  };
}
