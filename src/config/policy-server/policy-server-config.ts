import { isDeepStrictEqual } from 'node:util';
import type { Dimension } from './dimension.js';

/** The configuration of the policy server, with defaults. Durations are in milliseconds. */
export interface PolicyServerConfig {
  /** The limits, in the order of the file. Their names are unique. */
  readonly quotas: readonly QuotaLimit[];
  /** The place of the counters. */
  readonly storage: QuotaStorage;
  readonly reports: {
    /** Whether each report is logged as a JSON line. */
    readonly log: boolean;
  };
  readonly callers: {
    /** Whether callers with certificates may charge outbound requests to the quotas of other workloads' services. */
    readonly outboundChecks: boolean;
    /** Namespaces whose routers charge the quotas of all services that their routes lead to. */
    readonly gatewayNamespaces: readonly string[];
  };
  /** The handling of Checks beyond the capacity of this server. */
  readonly overload: {
    /** Whether the server answers them at once by their fail policy. */
    readonly shed: boolean;
    /** The time that the event loop must be busy without a pause before the server sheds Checks. */
    readonly shedAfterMs: number;
    /** Maximum Checks that wait for the storage or the backend. */
    readonly maxPendingChecks: number;
  };
  /** A remote `mesh.policy.v1` server that decides and counts instead of this server. */
  readonly backend?: PolicyBackend;
}

/**
 * `fixed`: consecutive windows, aligned to the epoch. `rolling`: any window of that length. `week` (from Monday) and
 * `month`: those of the calendar, in UTC; only plans have them.
 */
export type QuotaWindow = 'fixed' | 'rolling' | CalendarUnit;

/** Units of the calendar that a window can follow. */
export type CalendarUnit = 'week' | 'month';

/** The limit of one quota, per window and combination of dimension values. */
export interface QuotaLimit {
  readonly name: string;
  /** Units; 0 rejects every request. At most 2^53 - 1. */
  readonly maxAmount: number;
  readonly validDurationMs: number;
  readonly window: QuotaWindow;
  /** Each combination of their values has its own counter. Without dimensions there is one counter. */
  readonly dimensions: readonly Dimension[];
  /**
   * Different limits for certain values. An override applies to requests that have all its values. If several apply, the
   * one with the most dimensions is used, then the first.
   */
  readonly overrides: readonly QuotaOverride[];
  /** Absent: every key gets a counter. */
  readonly keys?: KeyList;
}

/** The valid keys of a quota. Requests with other keys are rejected. */
export interface KeyList {
  /** The dimension of the quota that holds the key. */
  readonly dimension: Dimension;
  /** Plain text, or `sha256:` and the hash in hexadecimal. */
  readonly values: readonly string[];
  /** File with more keys, one per line. */
  readonly file?: string;
}

export interface QuotaOverride {
  /** Values by `Dimension.text`; at least one. */
  readonly dimensions: ReadonlyMap<string, string>;
  /** Default: that of the quota. */
  readonly maxAmount: number;
  readonly validDurationMs: number;
}

export type QuotaStorage = MemoryStorage | RedisStorage;

export interface MemoryStorage {
  readonly type: 'memory';
  /** Maximum counters of each quota, one for each combination of dimension values. */
  readonly maxCounters: number;
}

export interface RedisStorage {
  readonly type: 'redis';
  readonly address: RedisAddress;
  /** File with the password, read at each connect. */
  readonly passwordFile?: string;
  /** File of PEM certificates to trust instead of the system's; for `rediss://`. */
  readonly caFile?: string;
  /** Prefix of all keys, used as the hash tag of a Redis cluster. */
  readonly keyPrefix: string;
  /** Maximum time of a charge. */
  readonly timeoutMs: number;
}

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly database: number;
  readonly isTls: boolean;
  readonly username?: string;
  /** Returns the password of the address. It is a function so that no dump or log shows the password. */
  readonly password?: () => string;
}

export interface PolicyBackend {
  /** `host:port` */
  readonly address: string;
  /** Absent: plaintext. */
  readonly tls?: {
    /** File of PEM certificates to trust instead of the system's. */
    readonly caFile?: string;
  };
  /** The switches of TransportConfig for calls to this server (docs/reference/policy-client.md#transportconfig). */
  readonly transport: {
    readonly disableCheckCache: boolean;
    readonly disableQuotaCache: boolean;
    readonly disableReportBatch: boolean;
  };
}

/** Whether two storages are the same: same place, same settings, same password. */
export function isSameStorage(one: QuotaStorage, other: QuotaStorage): boolean {
  return isDeepStrictEqual(withPassword(one), withPassword(other));
}

/** Replaces the function by the password, because two functions never compare as equal. */
function withPassword(storage: QuotaStorage): object {
  if (storage.type === 'memory') return storage;
  return { ...storage, address: { ...storage.address, password: storage.address.password?.() } };
}
