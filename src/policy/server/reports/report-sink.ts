import type { LimitedLog } from '../../../telemetry/limited-log.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { AttributeBag } from '../../client/attribute-bag.js';
import type { PolicyServerMetrics } from '../policy-server-metrics.js';
import { reportJson } from './report-json.js';
import { reportSeries, stringAttributeOf, UNKNOWN } from './report-series.js';

/** A report to count and log. */
export interface Report {
  readonly attributes: AttributeBag;
  /** Host of the service when it is known from other data than the attributes. */
  readonly service?: string | undefined;
}

/** Takes reports of access logs and of `mesh.policy.v1` clients. Never throws. */
export interface ReportSink {
  take(report: Report): void;
}

export interface ReportSinkOptions {
  readonly metrics: PolicyServerMetrics;
  readonly logger: Logger;
  readonly limitedLog: LimitedLog;
  /** Whether reports are also logged, read for each report. */
  readonly isLogged: () => boolean;
  /** Whether a host is a service. Only services are labels. */
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
        if (isLogged()) logger.info({ report: reportJson(report.attributes) }, 'report');
      } catch (error) {
        metrics.reportsFailed('internal', 1);
        limitedLog.error({ err: error }, 'report neither counted nor logged');
      }
    },
  };
}

/** Bounds the number of labels. */
export type LabelLimit = (text: string) => string;

/** The label of texts above the limit. */
const OTHER = 'other';

/** The longest label. Longer texts are not names, and would fill the memory of metric stores. */
const MAX_LENGTH = 253;

/**
 * The first `limit` texts are labels, and all later ones are `other`, because a series is never removed.
 *
 * @param limit the number of different texts
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
