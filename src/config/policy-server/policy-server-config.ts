import type { Dimension } from './dimension.js';

/** The policy server's configuration file, as the process reads it. Durations are milliseconds. */
export interface PolicyServerConfig {
  /** Limits, by their order in the file; names are unique. */
  readonly quotas: readonly QuotaLimit[];
  /** Where this server counts. */
  readonly storage: QuotaStorage;
  readonly reports: {
    /** Whether each report is a JSON line in the log as well. */
    readonly log: boolean;
  };
  readonly callers: {
    /** Whether outbound Checks of callers with certificates charge quotas of services of the mesh. */
    readonly outboundChecks: boolean;
  };
  /** What becomes of checks beyond what this server can decide. */
  readonly overload: {
    /** Whether they are answered by their fail policy at once. */
    readonly shed: boolean;
    /** How long the event loop must have had no pause before that begins. */
    readonly shedAfterMs: number;
    /** Checks that may wait for the storage or the backend. */
    readonly maxPendingChecks: number;
  };
  /** A remote `mesh.policy.v1` server that decides and counts instead of this one. */
  readonly backend?: PolicyBackend;
}

/** `fixed`: windows that follow one another, aligned to the epoch. `rolling`: every window of that length. */
export type QuotaWindow = 'fixed' | 'rolling';

/** How much of a quota may be used per window and values of its dimensions. */
export interface QuotaLimit {
  readonly name: string;
  /** Units; 0 refuses everything. At most 2^53 - 1. */
  readonly maxAmount: number;
  readonly validDurationMs: number;
  readonly window: QuotaWindow;
  /** Each combination of their values is counted by itself; none counts all requests together. */
  readonly dimensions: readonly Dimension[];
  /**
   * Other limits for some values. An override holds for requests that have all the values it names; of those that
   * hold the one that names most dimensions is used, and of equal ones the first.
   */
  readonly overrides: readonly QuotaOverride[];
  /** Missing: all keys are counted. */
  readonly keys?: KeyList;
}

/** The keys that a quota is for; requests with others are refused. */
export interface KeyList {
  /** One of the quota's. */
  readonly dimension: Dimension;
  /** Plain, or `sha256:` and the hash in hexadecimal. */
  readonly values: readonly string[];
  /** File with more of them, one a line. */
  readonly file?: string;
}

export interface QuotaOverride {
  /** Values by the dimension's text; at least one. */
  readonly dimensions: ReadonlyMap<string, string>;
  /** The quota's own where the file leaves it out. */
  readonly maxAmount: number;
  readonly validDurationMs: number;
}

export type QuotaStorage = MemoryStorage | RedisStorage;

export interface MemoryStorage {
  readonly type: 'memory';
  /** Counters of each quota at most, one for each combination of dimension values. */
  readonly maxCounters: number;
}

export interface RedisStorage {
  readonly type: 'redis';
  readonly address: RedisAddress;
  /** File that holds the password, read at every connect. */
  readonly passwordFile?: string;
  /** File of PEM certificates to trust instead of the system's; for `rediss://`. */
  readonly caFile?: string;
  /** What all keys begin with, as the hash tag of a cluster. */
  readonly keyPrefix: string;
  /** How long a charge may take. */
  readonly timeoutMs: number;
}

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly database: number;
  readonly isTls: boolean;
  readonly username?: string;
  /** Tells the password that was written in the address. A function, so that no dump or log shows it. */
  readonly password?: () => string;
}

export interface PolicyBackend {
  /** `host:port` */
  readonly address: string;
  /** Missing is plaintext. */
  readonly tls?: {
    /** File of PEM certificates to trust instead of the system's. */
    readonly caFile?: string;
  };
  /** The switches of TransportConfig for calls to this server (SPEC 2.12). */
  readonly transport: {
    readonly disableCheckCache: boolean;
    readonly disableQuotaCache: boolean;
    readonly disableReportBatch: boolean;
  };
}
