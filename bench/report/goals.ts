import { DEBOUNCE_MS } from '../subject/launch-discovery.js';
import type { BenchReport, PhaseReport } from './bench-report.js';

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

/** A bound that the server was given, and how near it is. */
export interface Goal {
  readonly name: string;
  readonly unit: '' | 'x' | 'ms' | 's' | 'KiB' | 'MiB' | 'MiB/min';
  readonly limit: number;
  readonly value: number;
  readonly met: boolean;
}

/** What the limits depend on. */
export interface GoalSize {
  readonly protocol: 'sotw' | 'delta';
  readonly clients: number;
}

interface Limits {
  readonly syncTimeRatio: number;
  readonly syncCpuRatio: number;
  readonly syncCpuSeconds?: number;
  readonly syncPeakMebibytes?: number;
  readonly grownMebibytes?: number;
  readonly endpointSpreadMs: number;
  readonly endpointCpuSeconds: number;
  readonly serviceLastMs: number;
  readonly serviceCpuSeconds: number;
  readonly serviceKibibytes?: number;
  readonly routeLastMs: number;
  readonly routeCpuSeconds: number;
  /** Of the event loop, in first syncs and changes; Node's own 10 ms count. */
  readonly blockMs?: number;
}

const STATE_OF_THE_WORLD: Limits = {
  syncTimeRatio: 2,
  syncCpuRatio: 3,
  grownMebibytes: 150,
  endpointSpreadMs: 40,
  endpointCpuSeconds: 0.1,
  serviceLastMs: 500,
  serviceCpuSeconds: 0.5,
  routeLastMs: 600,
  routeCpuSeconds: 0.5,
};

/** For 500 clients. */
const DELTA: Limits = {
  syncTimeRatio: 1.5,
  syncCpuRatio: 2,
  syncCpuSeconds: 2,
  syncPeakMebibytes: 250,
  endpointSpreadMs: 30,
  endpointCpuSeconds: 0.06,
  serviceLastMs: 60,
  serviceCpuSeconds: 0.15,
  serviceKibibytes: 10,
  routeLastMs: 60,
  routeCpuSeconds: 0.1,
  blockMs: 50,
};

/** An endpoint change for 200 clients or fewer. */
const FEW_CLIENTS = 200;
const FEW_CLIENTS_ENDPOINT_CPU_SECONDS = 0.03;

/**
 * The goals of a run that it has measured. They are set for 1,000 services x 10 endpoints on two cores, and for 200 clients
 * of state of the world or 500 of delta; those relative to the floor hold for any size.
 */
export function judgeGoals(report: BenchReport, { protocol, clients }: GoalSize): readonly Goal[] {
  const limits = protocol === 'delta' ? DELTA : STATE_OF_THE_WORLD;
  const isFew = protocol === 'delta' && clients <= FEW_CLIENTS;
  const endpointCpu = isFew ? FEW_CLIENTS_ENDPOINT_CPU_SECONDS : limits.endpointCpuSeconds;
  const sync = findPhase(report, 'first-sync');
  const endpoint = findPhase(report, 'endpoint');
  const service = findPhase(report, 'service');
  const route = findPhase(report, 'route');
  const storm = findPhase(report, 'storm');
  const afterDebounce = (change: PhaseReport | undefined) => change && change.server.clientMs.last - DEBOUNCE_MS;
  const blocks = [sync, endpoint, service, route].flatMap((phase) => phase?.server.longestBlockMs ?? []);
  const peak = sync?.server.peakResidentBytes;
  return [
    judge('ready after start', 's', 2, report.readyMs && report.readyMs / 1000),
    judge('first sync, last client, by the floor', 'x', limits.syncTimeRatio, sync?.timeRatio),
    judge('first sync, CPU, by the floor', 'x', limits.syncCpuRatio, sync?.cpuRatio),
    judge('first sync, CPU', 's', limits.syncCpuSeconds, sync?.server.cpuSeconds),
    judge('first sync, peak of memory', 'MiB', limits.syncPeakMebibytes, peak && peak / MEBIBYTE),
    judge(
      'endpoint change, last client after the first',
      'ms',
      limits.endpointSpreadMs,
      endpoint?.server.lastMinusFirstMs,
    ),
    judge('endpoint change, CPU', 's', endpointCpu, endpoint?.server.cpuSeconds),
    judge('service change, last client after debounce', 'ms', limits.serviceLastMs, afterDebounce(service)),
    judge('service change, CPU', 's', limits.serviceCpuSeconds, service?.server.cpuSeconds),
    judge(
      'service change, sent to each client',
      'KiB',
      limits.serviceKibibytes,
      service && service.server.receivedBytes / clients / KIBIBYTE,
    ),
    ...[endpoint, service, route].map((change) => judgeUnseen(change)),
    judge('route change, last client after debounce', 'ms', limits.routeLastMs, afterDebounce(route)),
    judge('route change, CPU', 's', limits.routeCpuSeconds, route?.server.cpuSeconds),
    judge('storm, last client', 's', 4, storm && storm.server.clientMs.last / 1000),
    judge('storm, CPU', 's', 2, storm?.server.cpuSeconds),
    judge('storm, endpoint change meanwhile, p99', 'ms', 500, storm?.server.stayedMs?.p99),
    judge('longest block', 'ms', limits.blockMs, blocks.length === 0 ? undefined : Math.max(...blocks)),
    judge('peak memory above idle', 'MiB', limits.grownMebibytes, report.grownBytes && report.grownBytes / MEBIBYTE),
  ].filter((goal) => goal !== undefined);
}

function judge(
  name: string,
  unit: Goal['unit'],
  limit: number | undefined,
  value: number | undefined,
): Goal | undefined {
  return value === undefined || limit === undefined ? undefined : { name, unit, limit, value, met: value <= limit };
}

function judgeUnseen(change: PhaseReport | undefined): Goal | undefined {
  const bytes = change?.server.unseenBytes;
  return judge(`${change?.phase} change, sent to sidecars on demand`, 'KiB', 0, bytes && bytes / 1024);
}

function findPhase(report: BenchReport, phase: PhaseReport['phase']): PhaseReport | undefined {
  return report.phases.find((candidate) => candidate.phase === phase);
}
