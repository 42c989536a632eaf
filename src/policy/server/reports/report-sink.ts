import type { LimitedLog } from '../../../telemetry/limited-log.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { AttributeBag } from '../../client/attribute-bag.js';
import type { PolicyServerMetrics } from '../policy-server-metrics.js';
import { reportJson } from './report-json.js';
import { reportSeries, stringAttributeOf, UNKNOWN } from './report-series.js';

/** A report that is to be counted and written down. */
export interface Report {
  readonly attributes: AttributeBag;
  /** Host of the service, where it is known otherwise than by what the attributes say of it. */
  readonly service?: string | undefined;
}

/** Takes reports: those of Envoy's access logs, and those of clients of `mesh.policy.v1`. Never throws. */
export interface ReportSink {
  take(report: Report): void;
}

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

  const labelsOf = ({ attributes, service = stringAttributeOf(attributes, 'destination.service.host') }: Report) => {
    const operation = stringAttributeOf(attributes, 'api.operation');
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

/** Lets a bounded number of texts be labels. */
export type LabelLimit = (text: string) => string;

/** What stands for texts beyond the limit. */
const OTHER = 'other';

/** Longer texts are no names of anything: they would fill the memory of whoever stores metrics. */
const MAX_LENGTH = 253;

/**
 * Every series stays for good, so the first `limit` texts are labels and all later ones are `other`.
 *
 * @param limit of different texts
 */
function createLabelLimit(limit: number): LabelLimit {
  const known = new Set<string>();
  return (text) => {
    if (known.has(text)) return text;
    if (known.size >= limit || text.length > MAX_LENGTH) return OTHER;
    known.add(text);
    return text;
  };
}
