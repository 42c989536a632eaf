import type { Clock } from '../../base/clock.js';
import { refusalText, type SendRequest } from '../../kubernetes/client/api-sender.js';
import type { Logger } from '../../telemetry/logger.js';
import type { ReportShelf } from '../distribution/report-shelf.js';

export interface ReportCleanerOptions {
  readonly namespace: string;
  readonly shelf: Pick<ReportShelf, 'stale'>;
  readonly send: SendRequest;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Removes the reports of killed instances. */
export interface ReportCleaner {
  /** Removes the stale reports. An instance that still runs writes its report again. */
  clean(): Promise<void>;
}

const RETRY_MS = 60_000;

export function createReportCleaner({ namespace, shelf, send, clock, logger }: ReportCleanerOptions): ReportCleaner {
  /** Time of the last attempt for each report. */
  const tried = new Map<string, number>();

  const remove = async (name: string): Promise<void> => {
    tried.set(name, clock.monotonicMs());
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps/${encodeURIComponent(name)}`;
    const configMap = `${namespace}/${name}`;
    try {
      const answer = await send({ method: 'DELETE', path });
      if (answer.status >= 300 && answer.status !== 404) throw new Error(refusalText(answer));
      logger.info({ configMap }, 'stale distribution report removed');
    } catch (err) {
      logger.warn({ configMap, err }, 'stale distribution report not removed, it does not count');
    }
  };

  return {
    clean: async () => {
      const nowMs = clock.monotonicMs();
      const stale = shelf.stale(nowMs);
      for (const name of tried.keys()) if (!stale.includes(name)) tried.delete(name);
      await Promise.all(stale.filter((name) => nowMs - (tried.get(name) ?? -RETRY_MS) >= RETRY_MS).map(remove));
    },
  };
}
