import type { BackgroundLane } from '../../../base/background-lane.js';
import type { Clock } from '../../../base/clock.js';
import type { RegexPrograms } from '../../../config/regex/regex-programs.js';
import type { LimitedLog } from '../../../telemetry/limited-log.js';
import type { AttributeValue } from '../../client/attribute-value.js';
import type { PolicyStatus, RouteDirective } from '../../client/policy-status.js';
import type { CounterRoom } from '../../quota/memory/counter-room.js';
import type { OpenNamedStore } from '../../quota/open-named-store.js';
import type { CompiledInstance } from '../compile-instance.js';
import type { HandlerResources } from '../handler-resources.js';
import type { Instance } from '../instance.js';
import type { ReportBudget } from '../reports/report-budget.js';
import type { HandlerAuthorization, HandlerObject } from '../rule-objects.js';
import type { SeriesRegistry } from './series/series-registry.js';

/** The decision of a handler about one instance. */
export interface AdapterDecision {
  /** Any code but OK refuses the request. */
  readonly status: PolicyStatus;
  /** How long a caller with a cache may reuse it; missing: not at all. */
  readonly validMs?: number;
  /** How often. */
  readonly validUseCount?: number;
  /** The answer to a refused HTTP request; missing: that of the status. */
  readonly directive?: RouteDirective;
  /** Values that header operations read as `NAME.output.FIELD`, by field of the template; missing: none. */
  readonly output?: ReadonlyMap<string, AttributeValue>;
}

/** What a QuotaSpec charges of a quota instance. */
export interface QuotaUse {
  /** Whole, above 0. */
  readonly amount: number;
  /** Takes the rest when less than the amount is left. */
  readonly bestEffort: boolean;
  /** Equal for all attempts at one request; undefined for a request that is not repeated. */
  readonly deduplicationId: string | undefined;
  /** Counted apart from other uses. Default false. */
  readonly isDryRun?: boolean | undefined;
}

export interface QuotaGrant {
  /** 0: refused. */
  readonly grantedAmount: number;
  /** How long the grant may be used, in milliseconds. */
  readonly validDurationMs?: number;
  /** The wait until a retry can succeed. */
  readonly retryAfterMs?: number;
}

/**
 * The running part of a handler. It has the methods for the templates that its adapter takes. A method that need not wait
 * returns its result without a promise. A method that throws has failed: the fail policy of the request decides then.
 */
export interface Adapter {
  check?(instance: Instance): AdapterDecision | Promise<AdapterDecision>;
  quota?(instance: Instance, use: QuotaUse): QuotaGrant | Promise<QuotaGrant>;
  /** Takes the instances of a batch, in the order of the reports. */
  report?(instances: readonly Instance[]): void | Promise<void>;
  close(): Promise<void>;
  /** Longest time of a call; missing: a second. */
  readonly timeoutMs?: number;
}

/** Sends messages to a server that a handler names. */
export interface HttpSender {
  /** @throws Error without an answer. Its message has nothing of headers and body */
  post(message: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | Uint8Array;
    readonly timeoutMs: number;
  }): Promise<{ readonly status: number; readonly body: Uint8Array }>;
  /** Closes the connections. */
  close(): void;
}

/** What adapters get of the process. Parameters are of tenants, so what leaves the process follows the egress rules. */
export interface AdapterEnvironment {
  readonly clock: Clock;
  /** Writes a line to the output or the error output of the process. */
  readonly writeLine: (stream: 'stdout' | 'stderr', line: string) => void;
  readonly openStore: OpenNamedStore;
  /**
   * Gets a document over HTTP.
   *
   * @param owner key of the handler. Namespaces take turns
   * @throws Error with the reason
   */
  readonly fetchText: (url: string, owner: string) => Promise<string>;
  /** Computations that are too long to delay requests for them. Namespaces take turns. */
  readonly background: BackgroundLane;
  /** Opens a sender of messages over HTTP. @param owner key of the handler. Namespaces take turns */
  readonly openSender: (owner: string) => HttpSender;
  /** Bytes of records that wait for collectors. */
  readonly budget: ReportBudget;
  /** Counts reports that another server has taken, or not, by key of the handler. */
  readonly reports: {
    sent(handler: string, reports: number): void;
    lost(handler: string, reports: number): void;
  };
  /** Makes a random id of that many bytes, in hexadecimal. */
  readonly randomId: (bytes: number) => string;
  /** Metrics of handlers, which the page /metrics shows. */
  readonly series: Pick<SeriesRegistry, 'open'>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Makes the judge of a handler with the adapter rbac. */
  readonly judgeBy: (authorization: HandlerAuthorization) => AuthorizationJudge;
  /** Builds the running part of a handler whose adapter is a program of its own. @throws Error when that is not possible */
  readonly buildOwn: (handler: HandlerObject, use: HandlerUse) => Adapter;
}

/** What AuthorizationPolicies compare. What is absent is not known. */
export interface AuthorizationQuestion {
  /** Namespace of the service. */
  readonly namespace: string;
  /** Of the workload. */
  readonly labels: ReadonlyMap<string, string>;
  readonly facts: {
    /** SPIFFE id; empty for a caller without one. */
    readonly principal?: string;
    readonly sourceIp?: string;
    readonly destinationIp?: string;
    readonly destinationPort?: number;
    readonly serverName?: string;
    /** By lower-case name, with `:method` and `:authority`. */
    readonly headers: ReadonlyMap<string, string>;
    /** `false`: the request may have other headers. */
    readonly hasAllHeaders: false;
    readonly path?: string;
    /** Claims of a token, by path. */
    readonly claims: ReadonlyMap<string, string>;
  };
}

/** `open`: the answer depends on what is not known. */
export type AuthorizationJudge = (
  question: AuthorizationQuestion,
) => { readonly type: 'allowed' | 'denied' } | { readonly type: 'open'; readonly needs: readonly string[] };

/** What is known about the use of one handler. */
export interface HandlerUse {
  readonly resources: HandlerResources;
  /** Of the rules that call the handler. */
  readonly instances: readonly CompiledInstance[];
}

/** What one handler gets. */
export interface HandlerEnvironment extends AdapterEnvironment, HandlerUse {
  /** Key of the handler. */
  readonly handler: string;
  readonly namespace: string;
  /** Of the adapter rbac. */
  readonly authorization: HandlerAuthorization | undefined;
  /** Where regular expressions are compiled, with the scope `any part`. */
  readonly programs: RegexPrograms;
  /** With the handler in each line. */
  readonly log: Pick<LimitedLog, 'info' | 'warn'>;
  /** Counters in memory, shared with the other handlers of the namespace. */
  readonly counterRoom: CounterRoom;
}

/** Makes the running part of a handler. @throws Error when its parameters cannot be used */
export type BuildAdapter<Params> = (params: Params, environment: HandlerEnvironment) => Adapter;
