import type { Clock } from '../../base/clock.js';
import { errorText } from '../../base/error-text.js';
import { refusalText, type SendRequest } from '../../kubernetes/client/api-sender.js';
import type { Logger } from '../../telemetry/logger.js';
import { type DistributionReport, formatReport, MAX_REPORT_BYTES } from '../distribution/distribution-report.js';
import type { InstanceProgress } from '../distribution/instance-progress.js';
import { REFRESH_MS } from '../distribution/report-shelf.js';
import type { ResourcePaths } from '../distribution/resource-path.js';
import { REPORT_KEY, reportLabel } from './report-watch.js';
import { FIELD_MANAGER } from './status-writer.js';

export interface ReportPublisherOptions {
  readonly namespace: string;
  /** `<pod>-distribution` */
  readonly configMap: string;
  readonly meshDomain: string;
  /**
   * The pod of this instance: Kubernetes removes the report with it. Absent if the instance is not a pod of this
   * cluster.
   */
  readonly pod?: { readonly name: string; readonly uid: string } | undefined;
  readonly paths: ResourcePaths;
  readonly send: SendRequest;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Writes this instance's report for the other instances. */
export interface ReportPublisher {
  /** Writes the report if it has changed, or if the last write is `REFRESH_MS` ago. One write at a time. */
  publish(report: DistributionReport): Promise<void>;
  /** Removes the report, because the instance stops. */
  withdraw(): Promise<void>;
}

const MAX_RETRY_MS = 10_000;
const FORBIDDEN_REMEDY = '; let the service account create and patch configmaps';

export function createReportPublisher(options: ReportPublisherOptions): ReportPublisher {
  const { namespace, configMap, paths, send, clock, logger } = options;
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps/${encodeURIComponent(configMap)}`;
  const fields = { configMap: `${namespace}/${configMap}` };
  let written: { readonly content: string; readonly progress: InstanceProgress; readonly atMs: number } | undefined;
  let running: Promise<void> | undefined;
  let isWithdrawn = false;
  let lastTrouble = '';
  let retryMs = 0;
  let notBeforeMs = 0;

  const write = async (text: string, { proxies, checks }: InstanceProgress): Promise<void> => {
    if (Buffer.byteLength(text) > MAX_REPORT_BYTES) {
      throw new Error(`the report has more than ${MAX_REPORT_BYTES} bytes; there are too many objects with a status`);
    }
    const answer = await send({
      method: 'PATCH',
      path,
      query: { fieldManager: FIELD_MANAGER, force: 'true' },
      contentType: 'application/apply-patch+yaml',
      body: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: configMap,
          namespace,
          labels: { [reportLabel(options.meshDomain)]: 'true' },
          ...(options.pod === undefined
            ? {}
            : { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', ...options.pod }] }),
        },
        // `kubectl wait` needs keys of their own.
        data: { [REPORT_KEY]: text, proxies: String(proxies), ...(checks === undefined ? {} : { checks }) },
      },
    });
    if (answer.status < 300) return;
    throw new Error(`${refusalText(answer)}${answer.status === 403 ? FORBIDDEN_REMEDY : ''}`);
  };

  const tell = (err: unknown): void => {
    const text = errorText(err);
    // The API server words a refusal differently while it learns of rights.
    const trouble = text.endsWith(FORBIDDEN_REMEDY) ? FORBIDDEN_REMEDY : text;
    if (trouble === lastTrouble) return;
    lastTrouble = trouble;
    logger.warn({ ...fields, err }, 'distribution report cannot be written');
  };

  const publish = async (report: DistributionReport): Promise<void> => {
    const nowMs = clock.monotonicMs();
    const isRecent = written !== undefined && nowMs - written.atMs < REFRESH_MS;
    if (isRecent && written?.progress === report.progress) return;
    const content = formatReport(report, paths, new Date(0));
    if (isRecent && written?.content === content) {
      written = { ...written, progress: report.progress };
      return;
    }
    try {
      await write(formatReport(report, paths, clock.now()), report.progress);
      written = { content, progress: report.progress, atMs: nowMs };
      if (lastTrouble !== '') logger.info(fields, 'distribution report can be written again');
      lastTrouble = '';
      retryMs = 0;
    } catch (err) {
      tell(err);
      retryMs = Math.min(MAX_RETRY_MS, Math.max(500, retryMs * 2));
      notBeforeMs = nowMs + retryMs;
    }
  };

  return {
    publish: async (report) => {
      if (running !== undefined || isWithdrawn || clock.monotonicMs() < notBeforeMs) return;
      running = publish(report);
      await running;
      running = undefined;
    },
    withdraw: async () => {
      isWithdrawn = true;
      await running;
      if (written === undefined) return;
      try {
        const answer = await send({ method: 'DELETE', path });
        if (answer.status >= 300 && answer.status !== 404) throw new Error(refusalText(answer));
      } catch (err) {
        logger.info({ ...fields, err }, 'distribution report not removed, it becomes stale by itself');
      }
    },
  };
}
