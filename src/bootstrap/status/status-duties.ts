import type { Query } from '../../kubernetes/client/api-client.js';
import type { DistributionReport } from '../../status/distribution/distribution-report.js';

/** Objects whose statuses one instance writes: the leader of a Lease. */
export interface StatusDuty {
  /** Name of the Lease. */
  readonly lease: string;
  /** Selects the objects; undefined for all. */
  readonly selector: Query | undefined;
  /** Whether the proxies of an instance get these objects. */
  counts(report: Pick<DistributionReport, 'revision'>): boolean;
  /** Whether the leader also writes Events about the settings of its revision. */
  readonly tellsSettings: boolean;
}

/** See docs/reference/sources.md#leader-locks. */
const LEASE = 'mesh-status-leader';

/**
 * All revisions read the objects without the label of a revision, so one leader among the instances of all revisions
 * writes their statuses. The objects of a revision have a leader of that revision.
 *
 * @param revision REVISION; empty for none: such an instance reads all objects
 */
export function statusDuties(revision: string, meshDomain: string): readonly StatusDuty[] {
  const ofAll = { lease: LEASE, counts: () => true };
  if (revision === '') return [{ ...ofAll, selector: undefined, tellsSettings: true }];
  const label = `${meshDomain}/rev`;
  return [
    { ...ofAll, selector: { labelSelector: `!${label}` }, tellsSettings: false },
    {
      lease: `${LEASE}-${revision}`,
      selector: { labelSelector: `${label}=${revision}` },
      counts: (report) => report.revision === revision,
      tellsSettings: true,
    },
  ];
}
