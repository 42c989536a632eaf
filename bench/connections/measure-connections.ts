import { setTimeout as delay } from 'node:timers/promises';
import { buildSidecarIdentities } from '../client/sidecar-identity.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import { type ProcessUsage, readProcessUsage, resetPeak } from '../measure/process-usage.js';
import { type Spread, spreadOf } from '../measure/statistics.js';
import { buildEndpointChanges } from '../mesh/mesh-change.js';
import type { MeshService } from '../mesh/mesh-shape.js';
import type { OwnedProcesses } from '../subject/owned-process.js';
import type { Subject } from '../subject/subject.js';
import { encodeNode } from '../wire/node-message.js';
import { ConnectionFleet } from './connection-fleet.js';
import { learnScript } from './request-script.js';

/** How long after a change the processor time of the server still counts: acknowledgements are read meanwhile. */
const AFTER_CHANGE_MS = 1000;

export interface ConnectionsOptions {
  readonly processes: OwnedProcesses;
  readonly services: readonly MeshService[];
  /** Sidecars that connect first. Memory for one sidecar is the difference between all and these, by their number. */
  readonly few: number;
  /** All sidecars, more than `few`. */
  readonly clients: number;
  /** Sidecars that sync at the same time. */
  readonly atOnce: number;
  /** Processes of the sidecars. */
  readonly workers: number;
  /** Endpoint changes. */
  readonly repeat: number;
  /** How long the server is left alone before its memory is read, so that it collects its garbage. */
  readonly settleMs: number;
  /** Upper bound of each wait. */
  readonly timeoutMs: number;
  readonly progress: (what: string) => void;
}

/** The server with that many connections that do nothing. */
export interface ConnectedFigure {
  readonly clients: number;
  readonly residentBytes: number;
  /** The most that was resident since there were no connections. */
  readonly peakResidentBytes: number;
  /** From the first of these connections until all had everything. */
  readonly connectMs: number;
  readonly cpuSeconds: number;
}

/** One endpoint change. */
export interface ChangeFigure {
  /** When the sidecars had it, in milliseconds since it was written. */
  readonly clientMs: Spread;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly peakResidentBytes: number;
  readonly longestBlockMs: number | undefined;
}

export interface ConnectionsResult {
  readonly idleBytes: number;
  readonly few: ConnectedFigure;
  readonly all: ConnectedFigure;
  /** Resident memory for each sidecar beyond the few. */
  readonly bytesPerSidecar: number;
  readonly changes: readonly ChangeFigure[];
  readonly turnedAway: number;
  /** How the first of these ended; empty when there is none. */
  readonly turnedAwayReason: string;
}

/** Connects sidecars to a server that was just started, and changes endpoints. The server is not stopped. */
export async function measureConnections(subject: Subject, options: ConnectionsOptions): Promise<ConnectionsResult> {
  const { services, settleMs, progress } = options;
  const nodes = buildSidecarIdentities(services, options.clients).map(encodeNode);
  const [first = Buffer.alloc(0)] = nodes;
  progress('a sidecar whose requests the others send');
  const script = await Promise.race([learnScript(subject.address, first), subject.failed]);
  const fleet = new ConnectionFleet({
    ...{ processes: options.processes, script, target: subject.address, failed: subject.failed },
    ...{ count: options.workers, atOnce: Math.ceil(options.atOnce / options.workers), timeoutMs: options.timeoutMs },
    progress: (synced, of) => progress(`${synced} of ${of} sidecars have everything`),
  });
  if (subject.pid !== undefined) await resetPeak(subject.pid);
  const idle = await readUsage(subject);

  const connect = async (from: number, to: number): Promise<ConnectedFigure> => {
    const before = await readUsage(subject);
    const startedAtMs = monotonicMs();
    await fleet.open(nodes.slice(from, to));
    const connectMs = monotonicMs() - startedAtMs;
    progress(`${to} sidecars do nothing`);
    await Promise.race([delay(settleMs), subject.failed]);
    const { residentBytes, peakResidentBytes, cpuSeconds } = await readUsage(subject);
    return { clients: to, residentBytes, peakResidentBytes, connectMs, cpuSeconds: cpuSeconds - before.cpuSeconds };
  };
  const few = await connect(0, options.few);
  const all = await connect(options.few, options.clients);
  const changes = await changeEndpoints(subject, fleet, options);
  const { count, reason } = fleet.turnedAway;
  return {
    idleBytes: idle.residentBytes,
    ...{ few, all, changes },
    bytesPerSidecar: (all.residentBytes - few.residentBytes) / (all.clients - few.clients),
    ...{ turnedAway: count, turnedAwayReason: reason },
  };
}

async function changeEndpoints(
  subject: Subject,
  fleet: ConnectionFleet,
  { services, repeat, progress }: ConnectionsOptions,
): Promise<readonly ChangeFigure[]> {
  const figures: ChangeFigure[] = [];
  for (const [index, change] of buildEndpointChanges(services, repeat).entries()) {
    progress(`endpoint change ${index + 1} of ${repeat}`);
    await subject.prepare({ phase: 'endpoint', repeat: index, change });
    // To read the longest block begins another measurement of it.
    await subject.longestBlockMs?.();
    const before = await readUsage(subject);
    const [marker] = change.markers;
    let startedAtMs = 0;
    const atMs = await fleet.change(marker?.text ?? '', () => {
      startedAtMs = monotonicMs();
      return subject.trigger();
    });
    await Promise.race([delay(AFTER_CHANGE_MS), subject.failed]);
    const { cpuSeconds, residentBytes, peakResidentBytes } = await readUsage(subject);
    figures.push({
      clientMs: spreadOf(atMs.map((ms) => ms - startedAtMs)),
      cpuSeconds: cpuSeconds - before.cpuSeconds,
      ...{ residentBytes, peakResidentBytes },
      longestBlockMs: await subject.longestBlockMs?.(),
    });
  }
  return figures;
}

/** Without a pid or /proc, all values are NaN. */
async function readUsage({ pid }: Subject): Promise<ProcessUsage> {
  const usage = pid === undefined ? undefined : await readProcessUsage(pid);
  return usage ?? { cpuSeconds: Number.NaN, residentBytes: Number.NaN, peakResidentBytes: Number.NaN };
}
