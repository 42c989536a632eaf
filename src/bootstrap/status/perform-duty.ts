import { startWorkOfLeader } from '../../kubernetes/election/work-of-leader.js';
import { CONFIG_MAP_KIND } from '../../kubernetes/watch/raw-kind.js';
import type { DistributionReport } from '../../status/distribution/distribution-report.js';
import { createReportShelf } from '../../status/distribution/report-shelf.js';
import type { ResourcePaths } from '../../status/distribution/resource-path.js';
import { createEventWriter } from '../../status/kubernetes/event-writer.js';
import { createReportCleaner } from '../../status/kubernetes/report-cleaner.js';
import { createReportSink, reportLabel } from '../../status/kubernetes/report-watch.js';
import type { StatusFacts } from '../../status/kubernetes/status-loop.js';
import { createLeaderWork, type LeaderWorkOptions } from './leader-work.js';
import type { StatusDuty } from './status-duties.js';
import type { StatusSettings } from './status-settings.js';

export interface DutyOptions
  extends Omit<LeaderWorkOptions, 'facts' | 'events' | 'lists' | 'selector' | 'namespaces'>,
    Pick<StatusSettings, 'namespace' | 'appNamespaces' | 'election'> {
  readonly duty: StatusDuty;
  /** Unique among the instances of the control plane. */
  readonly identity: string;
  readonly meshDomain: string;
  readonly paths: ResourcePaths;
  /** The report of this instance; undefined if distribution is not tracked. */
  readonly ownReport: () => DistributionReport | undefined;
  /** @param reports of this instance and of all others that count; undefined if distribution is not tracked */
  readonly facts: (reports: () => readonly DistributionReport[] | undefined) => StatusFacts;
}

/** A duty that this instance performs while it leads. */
export interface PerformedDuty {
  /** Facts may have changed. */
  changed(): void;
  /** Removes the reports of killed instances, if this instance leads. */
  clean(): void;
  /** Settles when all writes have ended and the Lease is released. */
  stop(): Promise<void>;
}

/** Takes part in the election of the duty's leader, and writes the statuses while this instance leads. */
export function performDuty(options: DutyOptions): PerformedDuty {
  const { duty, identity, namespace, paths, clock, logger, ownReport } = options;
  const shelf = createReportShelf();
  const reports = (): readonly DistributionReport[] | undefined => {
    const own = ownReport();
    const isOther = (report: DistributionReport): boolean => report.reporter !== identity && duty.counts(report);
    return own && [own, ...shelf.fresh(clock.monotonicMs()).filter(isOther)];
  };
  const work = createLeaderWork({
    ...options,
    namespaces: options.appNamespaces,
    selector: duty.selector,
    lists: [
      {
        definition: CONFIG_MAP_KIND,
        namespace,
        selector: { labelSelector: `${reportLabel(options.meshDomain)}=true` },
        sink: createReportSink({ shelf, paths, clock, logger, onChange: () => work.changed() }),
      },
    ],
    events: createEventWriter({ ...options, instance: identity }),
    facts: () => options.facts(reports),
  });
  const cleaner = createReportCleaner({ ...options, shelf });
  const lead = startWorkOfLeader({
    ...options,
    lease: { namespace, name: duty.lease },
    ...(options.election === undefined ? {} : { timing: options.election }),
    begin: work.begin,
    end: work.end,
  });
  return {
    changed: work.changed,
    clean: () => {
      if (lead.isLeader) void cleaner.clean();
    },
    stop: lead.stop,
  };
}
