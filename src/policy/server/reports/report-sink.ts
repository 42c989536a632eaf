import type { LimitedLog } from '../../../telemetry/limited-log.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { PolicyServerMetrics } from '../policy-server-metrics.js';
import { createLabelLimit } from './label-limit.js';
import type { Report, ReportSink } from './report.js';
import { reportJson } from './report-json.js';
import { reportSeries, textOf, UNKNOWN } from './report-series.js';

export interface ReportSinkOptions {
  readonly metrics: PolicyServerMetrics;
  readonly logger: Logger;
  readonly limitedLog: LimitedLog;
  /** Whether reports are written to the log as well, asked for each. */
  readonly isLogged: () => boolean;
  /** Whether a host is a service: only such hosts are labels. */
  readonly isService: (host: string) => boolean;
}

const MAX_SERVICES = 1000;
/** Of all services together; each comes with several response codes. */
const MAX_OPERATIONS = 2000;

/** Counts reports by service, operation and response code, and writes them to the log. */
export function createReportSink(options: ReportSinkOptions): ReportSink {
  const { metrics, logger, limitedLog, isLogged, isService } = options;
  const serviceLabel = createLabelLimit(MAX_SERVICES);
  const operationLabel = createLabelLimit(MAX_OPERATIONS);

  const labelsOf = ({ attributes, service = textOf(attributes, 'destination.service.host') }: Report) => {
    const operation = textOf(attributes, 'api.operation');
    return {
      service: service !== undefined && isService(service) ? serviceLabel(service) : UNKNOWN,
      operation: operation === undefined ? UNKNOWN : operationLabel(operation),
    };
  };

  return {
    take(report) {
      try {
        metrics.reported(reportSeries(report.attributes, labelsOf(report)));
        if (isLogged()) logger.info({ report: reportJson(report.attributes) }, 'Report');
      } catch (error) {
        metrics.reportsFailed('internal', 1);
        limitedLog.error({ err: error }, 'A report could not be counted or written down');
      }
    },
  };
}
