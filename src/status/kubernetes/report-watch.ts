import type { Clock } from '../../base/clock.js';
import { isRecord } from '../../base/record.js';
import type { Logger } from '../../telemetry/logger.js';
import { parseReport } from '../distribution/distribution-report.js';
import type { ReportShelf } from '../distribution/report-shelf.js';
import type { ResourcePaths } from '../distribution/resource-path.js';
import type { ObservedSink } from './observed-objects.js';

/** Key of a report in its ConfigMap. */
export const REPORT_KEY = 'distribution-report';

/** Label of every ConfigMap with a report: `internal.<mesh domain>/distribution-report=true`. */
export function reportLabel(meshDomain: string): string {
  return `internal.${meshDomain}/distribution-report`;
}

export interface ReportSinkOptions {
  readonly shelf: ReportShelf;
  readonly paths: ResourcePaths;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onChange: () => void;
}

type RawConfigMap = Parameters<ReturnType<ObservedSink['replace']>['add']>[0][number];

/** Puts the reports in watched ConfigMaps on the shelf. */
export function createReportSink({ shelf, paths, clock, logger, onChange }: ReportSinkOptions): ObservedSink {
  let names = new Set<string>();
  /** ConfigMaps with an unreadable report: each is logged once. */
  const unreadable = new Set<string>();

  const put = (raw: RawConfigMap): void => {
    const { name } = raw.metadata;
    const { data } = raw as { readonly data?: unknown };
    const text = isRecord(data) ? data[REPORT_KEY] : undefined;
    const report = typeof text === 'string' ? parseReport(text, paths) : undefined;
    if (typeof text === 'string' && report !== undefined) {
      unreadable.delete(name);
      const ageMs = report.reportedAtMs === undefined ? undefined : clock.now().getTime() - report.reportedAtMs;
      shelf.put(name, { text, report, ageMs }, clock.monotonicMs());
      return;
    }
    shelf.put(name, undefined, clock.monotonicMs());
    if (unreadable.has(name)) return;
    unreadable.add(name);
    logger.warn({ configMap: name }, 'distribution report cannot be read, the proxies of its instance do not count');
  };
  const remove = (name: string): void => {
    unreadable.delete(name);
    shelf.put(name, undefined, clock.monotonicMs());
  };

  return {
    isEmpty: () => names.size === 0,
    replace: () => {
      const found: RawConfigMap[] = [];
      return {
        add: (more) => found.push(...more),
        commit: () => {
          const next = new Set(found.map(({ metadata }) => metadata.name));
          for (const name of names) if (!next.has(name)) remove(name);
          names = next;
          for (const raw of found) put(raw);
          onChange();
        },
      };
    },
    apply: (events) => {
      for (const { type, object } of events) {
        const { name } = object.metadata;
        if (type === 'DELETED') {
          names.delete(name);
          remove(name);
        } else {
          names.add(name);
          put(object);
        }
      }
      onChange();
    },
  };
}
