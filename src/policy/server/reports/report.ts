import type { AttributeBag } from '../../client/attribute-bag.js';

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
