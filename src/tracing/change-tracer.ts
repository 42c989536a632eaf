import type { Clock } from '../base/clock.js';
import type { ProxyConnection, WatchSnapshot } from '../model/proxy-connection.js';
import type { PushRequest } from '../model/push-request.js';
import type { PushMetrics } from '../push/push-metrics.js';
import { type ChangeTrace, type ProxyAnswer, responsesOf, type TypeWork } from './change-trace.js';

/** Follows changes through the process, and gives each to `onTrace` when its proxies have answered. */
export interface ChangeTracer {
  /** A snapshot was built for a request. */
  snapshotBuilt(request: PushRequest, version: string, buildMs: number): void;
  /** The same metrics; their calls also tell which responses were sent. */
  observing(metrics: PushMetrics): PushMetrics;
  /** The proxy has acknowledged or rejected a response. */
  progressed(connection: ProxyConnection): void;
  /** Gives the open traces to `onTrace` as they are. */
  stop(): void;
}

export interface ChangeTracerOptions {
  readonly clock: Clock;
  /** `cds`, `lds` and so on. */
  readonly shortTypeName: (typeUrl: string) => string;
  readonly onTrace: (trace: ChangeTrace) => void;
}

/** A change ends when nothing has happened for this time and all responses are answered. */
const QUIET_MS = 1_000;
/** A change ends after this time, answered or not. */
const MAX_AGE_MS = 60_000;
/** Changes followed at the same time; the oldest ends early. */
const MAX_OPEN = 32;
const MAX_OBJECTS = 20;
const MAX_ANSWERS = 100;
/** Answers that are told apart. Beyond this number, repeated reports of one answer are counted. */
const MAX_KNOWN_ANSWERS = 20_000;

interface OpenTrace extends ChangeTrace {
  readonly builtAt: Date;
  readonly types: Map<string, TypeWork>;
  readonly answers: ProxyAnswer[];
  /** Answered responses: connection and nonce, because proxies share responses. */
  readonly known: Set<string>;
  acknowledged: number;
  rejected: number;
  lastAnswerMs: number | undefined;
  lastMs: number;
}

export function createChangeTracer({ clock, shortTypeName, onTrace }: ChangeTracerOptions): ChangeTracer {
  /** Oldest first. */
  const open: OpenTrace[] = [];
  let cancel: (() => void) | undefined;

  const isEnded = (trace: OpenTrace, nowMs: number): boolean => {
    if (nowMs - trace.builtMs >= MAX_AGE_MS) return true;
    return nowMs - trace.lastMs >= QUIET_MS && trace.acknowledged + trace.rejected >= responsesOf(trace);
  };
  const look = (): void => {
    cancel = undefined;
    const nowMs = clock.monotonicMs();
    const ended = open.filter((trace) => isEnded(trace, nowMs));
    for (const trace of ended) {
      open.splice(open.indexOf(trace), 1);
      onTrace(trace);
    }
    arm();
  };
  const arm = (): void => {
    if (cancel === undefined && open.length > 0) cancel = clock.schedule(QUIET_MS, look);
  };
  /** The newest change that the response contains. */
  const changeOf = ({ sentAt }: WatchSnapshot): OpenTrace | undefined =>
    sentAt && open.findLast(({ builtAt }) => builtAt <= sentAt);

  const sent = (type: string, seconds: number): void => {
    const trace = open.at(-1);
    if (trace === undefined) return;
    const nowMs = clock.monotonicMs();
    const work = trace.types.get(type) ?? { firstMs: nowMs - seconds * 1000, lastMs: nowMs, busyMs: 0, responses: 0 };
    work.lastMs = nowMs;
    work.busyMs += seconds * 1000;
    work.responses++;
    trace.types.set(type, work);
    trace.lastMs = nowMs;
  };

  const answered = ({ id, proxy }: ProxyConnection, watch: WatchSnapshot): void => {
    const { sentNonce, ackedNonce, rejection, typeUrl } = watch;
    const isRejected = rejection !== undefined && rejection.nonce === sentNonce;
    if (sentNonce === '' || (!isRejected && sentNonce !== ackedNonce)) return;
    const trace = changeOf(watch);
    const response = `${id} ${sentNonce}`;
    if (trace === undefined || trace.known.has(response)) return;
    if (trace.known.size < MAX_KNOWN_ANSWERS) trace.known.add(response);
    const atMs = clock.monotonicMs();
    trace.lastMs = atMs;
    trace.lastAnswerMs = atMs;
    if (isRejected) trace.rejected++;
    else trace.acknowledged++;
    // A rejection takes the place of an acknowledgement.
    if (isRejected && trace.answers.length >= MAX_ANSWERS) trace.answers.shift();
    if (trace.answers.length >= MAX_ANSWERS) return;
    const type = shortTypeName(typeUrl);
    trace.answers.push({ proxy: proxy.id, type, atMs, ...(isRejected ? { rejection: rejection.message } : {}) });
  };

  return {
    snapshotBuilt: (request, version, buildMs) => {
      const { full, reasons, changed, startMs, endpoints } = request;
      const keys = changed === 'everything' ? [] : [...changed, ...endpoints];
      const builtMs = clock.monotonicMs();
      open.push({
        ...{ startMs, buildMs, builtMs, version, full, reasons },
        objects: keys.slice(0, MAX_OBJECTS),
        objectCount: changed === 'everything' ? -1 : keys.length,
        builtAt: clock.now(),
        types: new Map(),
        answers: [],
        known: new Set(),
        acknowledged: 0,
        rejected: 0,
        lastAnswerMs: undefined,
        lastMs: builtMs,
      });
      if (open.length > MAX_OPEN) for (const trace of open.splice(0, 1)) onTrace(trace);
      arm();
    },
    observing: (metrics) => ({
      ...metrics,
      pushed: (type, seconds) => {
        metrics.pushed(type, seconds);
        sent(type, seconds);
      },
    }),
    progressed: (connection) => {
      if (open.length === 0) return;
      for (const watch of connection.watches.values()) answered(connection, watch);
    },
    stop: () => {
      cancel?.();
      cancel = undefined;
      for (const trace of open.splice(0)) onTrace(trace);
    },
  };
}
