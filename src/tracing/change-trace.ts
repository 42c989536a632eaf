import type { ObjectKey } from '../config/object.js';

/** The answer of one proxy to a response of one type. */
export interface ProxyAnswer {
  /** Node id. */
  readonly proxy: string;
  /** `cds`, `lds` and so on. */
  readonly type: string;
  /** Milliseconds of the monotonic clock. */
  readonly atMs: number;
  /** Error of the proxy; absent if it acknowledged. */
  readonly rejection?: string;
}

/** The responses of one type that were made for a change. */
export interface TypeWork {
  firstMs: number;
  lastMs: number;
  /** Milliseconds that making and handing over took, in all. */
  busyMs: number;
  responses: number;
}

/** One change, from its source to the last answer. Times are milliseconds of the monotonic clock. */
export interface ChangeTrace {
  /** Event of the API server or file: the earliest of the merged changes. */
  readonly startMs: number;
  /** The debounce has ended, and the snapshot is being built. */
  readonly buildMs: number;
  readonly builtMs: number;
  readonly version: string;
  readonly full: boolean;
  readonly reasons: readonly string[];
  /** The first changed objects and hosts; `objectCount` counts all. */
  readonly objects: readonly ObjectKey[];
  /** -1: everything, for example because the mesh config changed. */
  readonly objectCount: number;
  readonly types: ReadonlyMap<string, TypeWork>;
  /** A limited number; the counters count all. */
  readonly answers: readonly ProxyAnswer[];
  readonly acknowledged: number;
  readonly rejected: number;
  readonly lastAnswerMs: number | undefined;
}

/** Number of responses of all types. */
export function responsesOf({ types }: Pick<ChangeTrace, 'types'>): number {
  return [...types.values()].reduce((sum, { responses }) => sum + responses, 0);
}
