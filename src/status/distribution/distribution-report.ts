import { JSON_SCHEMA, load } from 'js-yaml';
import { isRecord } from '../../base/record.js';
import type { Rejection } from '../conditions/object-facts.js';
import type { InstanceProgress, ObjectProgress } from './instance-progress.js';
import type { ResourcePaths } from './resource-path.js';

/** The report of one instance of the control plane to the others (docs/status.md#which-instance-writes). */
export interface DistributionReport {
  /** Name of the instance. */
  readonly reporter: string;
  /** REVISION of the instance. Instances with another revision read other objects. */
  readonly revision: string;
  readonly progress: InstanceProgress;
}

/** A report as read from a ConfigMap. */
export interface ReadReport extends DistributionReport {
  /**
   * Time of the write, in milliseconds since 1970 by the writer's clock; undefined if the report does not contain it.
   */
  readonly reportedAtMs: number | undefined;
}

/** A ConfigMap holds one mebibyte; the rest is for its metadata. */
export const MAX_REPORT_BYTES = 1_000_000;

/**
 * The report as JSON, which is valid YAML and ten times as fast to read and write. `inProgressResources` has the number
 * of proxies that acknowledged each resource, `inProgressOf` the number of proxies that need it.
 *
 * @param reportedAt time of the write: it distinguishes a repeated report from one that is no longer written
 */
export function formatReport(
  { reporter, revision, progress }: DistributionReport,
  paths: ResourcePaths,
  reportedAt: Date,
): string {
  const acked: Record<string, number> = {};
  const inProgress: Record<string, readonly number[]> = {};
  const rejections: Record<string, readonly Rejection[]> = {};
  const complete: Record<string, number> = {};
  for (const [key, object] of progress.objects) {
    const id = `${paths.pathOf(key)}/${object.version}`;
    if (object.rejections.length > 0) rejections[id] = object.rejections;
    if (object.ackedProxies === object.proxies && object.ackedPolicyServers === object.policyServers) {
      complete[id] = object.proxies;
    } else {
      acked[id] = object.ackedProxies;
      inProgress[id] = [object.proxies, object.ackedPolicyServers, object.policyServers];
    }
  }
  const report = {
    reporter,
    ...(revision === '' ? {} : { revision }),
    reportedAt: reportedAt.toISOString(),
    dataPlaneCount: progress.proxies,
    policyServerCount: progress.policyServers,
    ...(progress.checks === undefined ? {} : { checks: progress.checks }),
    inProgressResources: acked,
    inProgressOf: inProgress,
    completeResources: complete,
    rejections,
  };
  return `${JSON.stringify(report, undefined, 1)}\n`;
}

/** Reads a report; undefined if the text is not a report. Objects of unknown kinds are left out. */
export function parseReport(text: string, paths: ResourcePaths): ReadReport | undefined {
  const report = loadRecord(text);
  const reporter = report?.['reporter'];
  const proxies = report?.['dataPlaneCount'];
  if (report === undefined || typeof reporter !== 'string' || typeof proxies !== 'number') return undefined;
  const policyServers = numberOf(report['policyServerCount']) ?? 0;
  const rejections = recordOf(report['rejections']);
  const objects = new Map<string, ObjectProgress>();
  const add = (id: string, counts: Omit<ObjectProgress, 'version' | 'rejections'>): void => {
    const slash = id.lastIndexOf('/');
    const key = paths.keyOf(id.slice(0, slash));
    if (key === undefined) return;
    objects.set(key, { ...counts, version: id.slice(slash + 1), rejections: rejectionsOf(rejections[id]) });
  };
  for (const [id, count] of Object.entries(recordOf(report['completeResources']))) {
    const concerned = numberOf(count) ?? proxies;
    const servers = policyServers;
    add(id, {
      proxies: concerned,
      ackedProxies: concerned,
      policyServers: servers,
      ackedPolicyServers: servers,
    });
  }
  const inProgressOf = recordOf(report['inProgressOf']);
  for (const [id, acked] of Object.entries(recordOf(report['inProgressResources']))) {
    const of = inProgressOf[id];
    const [concerned, ackedServers, servers]: readonly unknown[] = Array.isArray(of) ? of : [];
    add(id, {
      proxies: numberOf(concerned) ?? proxies,
      ackedProxies: numberOf(acked) ?? 0,
      policyServers: numberOf(servers) ?? 0,
      ackedPolicyServers: numberOf(ackedServers) ?? 0,
    });
  }
  const revision = typeof report['revision'] === 'string' ? report['revision'] : '';
  const reportedAtMs = numberOf(Date.parse(String(report['reportedAt'])));
  return { reporter, revision, reportedAtMs, progress: { proxies, policyServers, objects } };
}

function loadRecord(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.length > MAX_REPORT_BYTES) return undefined;
  const loaded = attempt(() => JSON.parse(text)) ?? attempt(() => load(text, { schema: JSON_SCHEMA }));
  return isRecord(loaded) ? loaded : undefined;
}

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : undefined;
}

function rejectionsOf(value: unknown): readonly Rejection[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).map(({ proxy, type, text, others }) => ({
    proxy: String(proxy),
    type: String(type),
    text: String(text),
    others: Array.isArray(others) ? others.map(String) : [],
  }));
}
