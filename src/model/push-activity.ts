import type { ObjectKey } from '../config/object.js';
import type { PushReason } from './push-request.js';

/** One push, as pages show it. It names a few of the changed objects and hosts, and counts all. */
export interface PushRecord {
  /** From 1, in the order of the pushes. */
  readonly number: number;
  /** When the push began. */
  readonly at: Date;
  /** The snapshot that it made; empty if that failed. */
  readonly version: string;
  readonly full: boolean;
  /** The number of merged changes for each reason. */
  readonly reasons: ReadonlyMap<PushReason, number>;
  readonly objects: 'everything' | number;
  readonly firstObjects: readonly ObjectKey[];
  /** Hosts whose endpoints changed. */
  readonly hosts: number;
  readonly firstHosts: readonly string[];
  /** The proxies that the push concerns. */
  readonly proxies: number;
  readonly stages: PushStages;
  /** Proxies that have been sent all of it, of a full push. */
  readonly sent: number;
  /** From the first change to the last of these, in milliseconds; 0 before the first. */
  readonly lastSentMs: number;
}

/** Milliseconds of each stage of a push. */
export interface PushStages {
  /** From the first change until changes settled. */
  readonly mergeMs: number;
  /** To build the next snapshot. */
  readonly buildMs: number;
  /** To find the proxies that it concerns. */
  readonly selectMs: number;
}

/** The pushes of one minute that ended at `at`. */
export interface MinuteOfPushes {
  readonly at: Date;
  readonly pushes: number;
  /** Times from a change to the end of a proxy's push, in milliseconds; undefined if there was none. */
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
}

/** What pages show about the pushes of the last minutes. */
export interface PushActivity {
  /** Newest first; a bounded number. */
  pushes(): readonly PushRecord[];
  /** Rolling minutes, oldest first, one every ten seconds. */
  minutes(): readonly MinuteOfPushes[];
}
