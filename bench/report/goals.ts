import { DEBOUNCE_MS } from '../subject/launch-discovery.js';
import type { BenchReport, PhaseReport } from './bench-report.js';

const MEBIBYTE = 1024 * 1024;

/** A bound that the server was given, and how near it is. */
export interface Goal {
  readonly name: string;
  readonly unit: '' | 'x' | 'ms' | 's' | 'KiB' | 'MiB' | 'MiB/min';
  readonly limit: number;
  readonly value: number;
  readonly met: boolean;
}

/**
 * The goals of a run that it has measured. They are set for 1,000 services x 10 endpoints and 200 clients on two
 * cores; those relative to the floor hold for any size.
 */
export function judgeGoals(report: BenchReport): readonly Goal[] {
  const sync = findPhase(report, 'first-sync');
  const endpoint = findPhase(report, 'endpoint');
  const service = findPhase(report, 'service');
  const route = findPhase(report, 'route');
  const storm = findPhase(report, 'storm');
  const afterDebounceMs = service === undefined ? undefined : service.server.clientMs.last - DEBOUNCE_MS;
  const grown = report.grownBytes === undefined ? undefined : report.grownBytes / MEBIBYTE;
  return [
    judge('ready after start', 's', 2, report.readyMs === undefined ? undefined : report.readyMs / 1000),
    judge('first sync, last client, by the floor', 'x', 2, sync?.timeRatio),
    judge('first sync, CPU, by the floor', 'x', 3, sync?.cpuRatio),
    judge('endpoint change, last client after the first', 'ms', 40, endpoint?.server.lastMinusFirstMs),
    judge('endpoint change, CPU', 's', 0.1, endpoint?.server.cpuSeconds),
    judge('service change, last client after debounce', 'ms', 500, afterDebounceMs),
    judge('service change, CPU', 's', 0.5, service?.server.cpuSeconds),
    ...[endpoint, service, route].map((change) => judgeUnseen(change)),
    judge('route change, last client after debounce', 'ms', 600, route && route.server.clientMs.last - DEBOUNCE_MS),
    judge('route change, CPU', 's', 0.5, route?.server.cpuSeconds),
    judge('storm, last client', 's', 4, storm && storm.server.clientMs.last / 1000),
    judge('storm, CPU', 's', 2, storm?.server.cpuSeconds),
    judge('storm, endpoint change meanwhile, p99', 'ms', 500, storm?.server.stayedMs?.p99),
    judge('peak memory above idle', 'MiB', 150, grown),
  ].filter((goal) => goal !== undefined);
}

function judge(name: string, unit: Goal['unit'], limit: number, value: number | undefined): Goal | undefined {
  return value === undefined ? undefined : { name, unit, limit, value, met: value <= limit };
}

function judgeUnseen(change: PhaseReport | undefined): Goal | undefined {
  const bytes = change?.server.unseenBytes;
  return judge(`${change?.phase} change, sent to sidecars on demand`, 'KiB', 0, bytes && bytes / 1024);
}

function findPhase(report: BenchReport, phase: PhaseReport['phase']): PhaseReport | undefined {
  return report.phases.find((candidate) => candidate.phase === phase);
}
