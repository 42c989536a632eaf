import type { MemorySample } from './memory-series.js';

/** One start of the server, and of the floor before it. */
export interface StartResult {
  /** From the start of the server's process until it said that it was ready. */
  readonly readyMs: number;
  /** When it was ready. */
  readonly residentBytes: number;
  /** The most since its start, just as it was ready. */
  readonly peakResidentBytes: number;
  /** From the start of the floor's process until it had listed and parsed everything. */
  readonly floorMs: number;
  readonly floorPeakBytes: number;
}

export interface SyncResult {
  /** When each client had everything, since they were let go. */
  readonly clientMs: readonly number[];
  readonly receivedBytes: number;
  readonly residentBytes: number;
}

export interface ChurnResult {
  readonly seconds: number;
  readonly changes: number;
  /** Changes that the API server did not take. */
  readonly refused: number;
  /** From the sending of a write to the API server's answer. */
  readonly writeMs: readonly number[];
  /** From the sending of a write to its event at a bare watch. */
  readonly floorMs: readonly number[];
  /** From the sending of a write to its address at a client: one for each change and client. */
  readonly clientMs: readonly number[];
  /** Changes that a client never received, including those replaced by the next change of their service. */
  readonly missing: number;
  /** Processor seconds of the server for each second. */
  readonly cpuShare: number;
  /** Processor seconds of the clients and of the writer, per second. */
  readonly clientCpuShare: number;
  readonly memory: readonly MemorySample[];
}

/** Everything measured in one run. */
export interface KubernetesResult {
  /** Of the objects that the floor listed. */
  readonly objects: number;
  readonly listedBytes: number;
  readonly starts: readonly StartResult[];
  readonly sync: SyncResult;
  readonly churn: ChurnResult;
  /** The most of the last server's memory, from its start to the end of the churn. */
  readonly peakResidentBytes: number;
}
