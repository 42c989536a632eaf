import type { Clock } from '../../../base/clock.js';
import type { ServiceConfig } from '../../../config/policy/client-config.js';
import type { LimitedLog } from '../../../telemetry/limited-log.js';
import type { BucketReport, ProxyShares } from '../../quota/shares/proxy-shares.js';
import type { QuotaShares } from '../../quota/shares/quota-shares.js';
import { type BucketPurpose, readBucketId } from '../../wire/quota-buckets.js';
import type { Caller } from '../callers/caller.js';
import type { CallerRights } from '../callers/caller-rights.js';
import { chargedQuotasOf } from './charged-quotas.js';
import { createReportPace } from './report-pace.js';
import type { ShareCodec } from './share-codec.js';
import { createShareOutbox } from './share-outbox.js';

/** Why a bucket gets no assignment: a label of `policy_server_fast_refused_buckets_total`. */
export type BucketRefusal = 'caller' | 'charges' | 'id';

export interface ShareServiceOptions {
  readonly codec: ShareCodec;
  readonly rights: Pick<CallerRights, 'mayReport'>;
  /** The policies in force. */
  readonly findConfig: (hostname: string) => ServiceConfig | undefined;
  /** Undefined while a remote server counts. */
  readonly shares: () => QuotaShares | undefined;
  readonly refused: (reason: BucketRefusal) => void;
  readonly limitedLog: LimitedLog;
  readonly clock: Clock;
  /** Settles after other work had its turn. */
  readonly yieldTurn: () => Promise<void>;
}

/** One stream of a proxy with fast quotas. */
export interface ShareStream {
  /**
   * Takes the reports of a message and sends the answers. Call it with the next message once it has settled.
   *
   * @param bytes an envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports
   * @throws EnvoyMessageError
   */
  take(bytes: Uint8Array): Promise<void>;
  /** The proxy can be sent more. */
  resume(): void;
  close(): void;
}

/**
 * @param send sends an envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse. It returns whether the proxy can be sent
 *   more; otherwise `resume` is called when it can
 */
export type OpenShareStream = (caller: Caller, send: (bytes: Buffer) => boolean) => ShareStream;

/** Whether the caller may report, by service. */
type Rights = Map<string, boolean>;

/** Reports in one turn, answered together: about a millisecond of work. */
const REPORTS_PER_TURN = 32;
const MAX_ID_PARTS = 32;
const MAX_ID_LENGTH = 8_192;

export function createShareService(options: ShareServiceOptions): OpenShareStream {
  const { codec, rights, findConfig, shares, refused, limitedLog, clock, yieldTurn } = options;

  const refuse = (reason: BucketRefusal, service: string): false => {
    refused(reason);
    limitedLog.warn({ service, reason }, 'bucket of a proxy refused: it gets no share of the quota');
    return false;
  };
  const isOfRule = (purpose: BucketPurpose): boolean => {
    const config = findConfig(purpose.service);
    const most = config && chargedQuotasOf(config);
    if (purpose.type === 'guard') return most !== undefined && most.size > 0;
    return [...purpose.charges].every(([quota, amount]) => amount <= (most?.get(quota) ?? 0));
  };
  const admits = (report: BucketReport | undefined, caller: Caller, allowed: Rights): report is BucketReport => {
    const name = report !== undefined && isBounded(report.id) ? readBucketId(report.id) : undefined;
    if (name === undefined) return refuse('id', '');
    const { purpose } = name;
    const isAllowed = allowed.get(purpose.service) ?? rights.mayReport(caller, purpose.service);
    allowed.set(purpose.service, isAllowed);
    if (!isAllowed) return refuse('caller', purpose.service);
    return isOfRule(purpose) || refuse('charges', purpose.service);
  };

  return (caller, send) => {
    const outbox = createShareOutbox({ send: (actions) => send(codec.encodeActions(actions)), yieldTurn });
    const pace = createReportPace(clock);
    let opened: { readonly from: QuotaShares; readonly proxy: ProxyShares } | undefined;
    let isClosed = false;

    const closeShares = (): void => {
      opened?.proxy.close();
      opened = undefined;
    };
    /** Another configuration can have other shares. */
    const proxyOf = (): ProxyShares | undefined => {
      const from = shares();
      if (from !== opened?.from) closeShares();
      if (from !== undefined) opened ??= { from, proxy: from.open(outbox.push) };
      return opened?.proxy;
    };
    /** A proxy that does not read its answers, or reports too often, waits. */
    const takeTurn = async (reports: readonly (BucketReport | undefined)[], allowed: Rights): Promise<void> => {
      await pace(reports.length);
      await outbox.ready();
      await yieldTurn();
      if (isClosed) return;
      const proxy = proxyOf();
      await Promise.all(reports.map((report) => admits(report, caller, allowed) && proxy?.report(report)));
    };

    return {
      take: async (bytes) => {
        const allowed: Rights = new Map();
        let turn: (BucketReport | undefined)[] = [];
        for (const report of codec.decodeReports(bytes)) {
          turn.push(report);
          if (turn.length < REPORTS_PER_TURN) continue;
          await takeTurn(turn, allowed);
          if (isClosed) return;
          turn = [];
        }
        if (turn.length > 0) await takeTurn(turn, allowed);
      },
      resume: outbox.resume,
      close: () => {
        isClosed = true;
        closeShares();
        outbox.resume();
      },
    };
  };
}

function isBounded(id: BucketReport['id']): boolean {
  const entries = Object.entries(id);
  return (
    entries.length <= MAX_ID_PARTS &&
    entries.reduce((sum, [key, value]) => sum + key.length + value.length, 0) <= MAX_ID_LENGTH
  );
}
