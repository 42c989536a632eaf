import type { ObjectKey } from '../config/object.js';
import type { EncodedResource } from '../envoy/encoded-resource.js';
import type { MessageJson } from '../envoy/message-json.js';
import type { AuthorizationJudgement } from '../generators/authorization/judge-request.js';
import type { Finding } from '../model/finding.js';
import type { ProxyConnection } from '../model/proxy-connection.js';
import type { PushActivity } from '../model/push-activity.js';
import type { PushContext } from '../model/push-context.js';
import type { MetricsText } from '../telemetry/metrics-text.js';
import { HttpProblem } from './http-problem.js';
import type { Instances } from './instances.js';
import type { PastRejection } from './past-rejection.js';
import type { QuotaCounters } from './quota-counters.js';
import type { ReadinessProbe } from './ready.js';

/** The version on `/version` and on the index page. Unset values are `unknown`. */
export interface BuildInfo {
  readonly version: string;
  readonly revision: string;
  readonly status: string;
}

/** A supported kind of configuration, for `/debug/resourcesz`. */
export interface KnownKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * A problem of the configuration, for `/debug/config_problems`: a file or object that a source rejected, whose last valid
 * state stays in force, or a finding of analysis in valid objects.
 */
export interface ConfigProblem {
  /** Level of a finding of analysis. Absent if a source rejected the object, which is an error. */
  readonly level?: 'Error' | 'Warn' | 'Info';
  /** `MESHnnnn`, for a finding of analysis. */
  readonly code?: string;
  /** File, or the place in another source; absent for a finding of analysis. */
  readonly file?: string;
  /** Document in the file, from 1; absent if the problem concerns the whole file. */
  readonly document?: number;
  /** `<Kind>/<namespace>/<name>`, if it is known. */
  readonly object?: ObjectKey;
  /** Path of the field, for example `spec.ports[0].number`. */
  readonly field?: string;
  readonly reason: string;
}

/** The policy client's configurations for a proxy, whether or not it requests them, for `/debug/policyz`. */
export interface PolicyConfigs {
  readonly http: readonly EncodedResource[];
  readonly tcp: readonly EncodedResource[];
  /** Configurations of all services. */
  readonly services: readonly EncodedResource[];
}

/** A request that a user asks about. */
export interface RequestQuestion {
  readonly method: string;
  readonly url: string;
  /** `Name: value` */
  readonly headers: readonly string[];
  /** `<namespace>/<service account>` of the caller; empty for a caller without a certificate. */
  readonly from: string;
  /** Address of the caller; empty if it is not given. */
  readonly ip: string;
}

/** The answers that a request can get, and what decides. */
export interface ExplainedRequest {
  /** Undefined if the mesh has no service for the host. */
  readonly service:
    | {
        readonly hostname: string;
        readonly endpoints: { readonly healthy: number; readonly all: number };
        readonly mutualTls: string;
        readonly authorization: Pick<AuthorizationJudgement, 'policies'>;
        readonly operation: Readonly<Record<string, string>>;
        readonly apiSpecs: readonly ObjectKey[];
        readonly apiKey?: string;
        readonly plans: {
          readonly plans: readonly ObjectKey[];
          readonly verdict: 'none' | 'admitted' | 'undecided' | 'noKey' | 'unknownKey' | 'notIncluded';
          readonly plan?: ObjectKey;
          readonly consumer?: string;
          readonly limits: readonly {
            readonly name: string;
            readonly requests: number;
            readonly per: string;
            readonly of: string;
          }[];
        };
        readonly quotas: {
          readonly charges: readonly {
            readonly quota: string;
            readonly charge: number;
            readonly object: ObjectKey;
            readonly isDryRun?: boolean;
          }[];
        };
        readonly rules: {
          readonly matching: readonly {
            readonly object: ObjectKey;
            readonly open?: string;
            readonly calls: readonly {
              readonly handler: ObjectKey;
              readonly instance: ObjectKey;
              readonly variety: string;
              readonly answer?: { readonly status: number; readonly message: string };
              readonly limit?: { readonly maxAmount: number; readonly validDurationMs: number };
              readonly open?: string;
            }[];
            readonly isDryRun?: boolean;
            readonly headers: readonly { readonly text: string }[];
          }[];
          readonly unmatched: readonly { readonly object: ObjectKey; readonly match: string }[];
        };
        readonly missing: readonly ObjectKey[];
        readonly notGranted: readonly ObjectKey[];
        readonly attributes: Readonly<Record<string, string>>;
      }
    | undefined;
  readonly answers: readonly ExplainedAnswer[];
  /** The answers that objects with `dryRun` would give. They have no effect. */
  readonly dryRun: readonly ExplainedAnswer[];
}

export interface ExplainedAnswer {
  readonly status: number | string;
  readonly certainty: string;
  readonly because: string;
  readonly objects: readonly ObjectKey[];
}

/** The resources of one type at one proxy. */
export interface ResourceState {
  /** Those that it accepted last; undefined if it accepted none, or may have others. */
  readonly accepted: readonly EncodedResource[] | undefined;
  /** Those of the newest response, if the proxy has not answered it, or has rejected it. */
  readonly offered: readonly EncodedResource[] | undefined;
}

/**
 * The data of all HTTP pages, as functions that read the current state. Bootstrap provides them. All are cheap, and only
 * `triggerPush` changes state.
 */
export interface Views {
  readonly build: BuildInfo;
  readonly messageJson: MessageJson;
  /** `/ready` answers 200 if all of them pass. Components that start later may add a probe. */
  readonly probes: readonly ReadinessProbe[];
  /** NAV_ENABLE_CONFIG_DISTRIBUTION_TRACKING */
  readonly trackingEnabled: boolean;
  /** NAV_DEBUG_ADSZ_CONFIG: adsz and cdsz show resources too. */
  readonly adszConfigEnabled: boolean;
  readonly knownKinds: readonly KnownKind[];
  /** Renders at most once per second, for any number of callers. */
  metrics(): Promise<MetricsText>;
  connections(): readonly ProxyConnection[];
  /** Undefined until the sources have synced. */
  context(): PushContext | undefined;
  /** The resources of a type that the proxy receives now; empty for an unknown connection or type. */
  resourcesOf(connectionId: string, typeUrl: string): readonly EncodedResource[];
  /** Undefined if the policy plugin is off. */
  policyConfigsOf(connectionId: string): PolicyConfigs | undefined;
  /** Configuration version of the newest snapshot; empty if tracking is off. */
  currentConfigVersion(): string;
  /** Version of an object in a configuration version; undefined if the object did not exist, or the version has expired. */
  versionOf(root: string, key: ObjectKey): string | undefined;
  /** Starts a full push with reason `debug`. Returns the number of proxies. */
  triggerPush(): number;
  /** Findings of the last push; undefined before the first. */
  pushStatus(): readonly Finding[] | undefined;
  /** All problems. Those of analysis are about the newest snapshot: an analysis that is due runs first. */
  problems(): readonly ConfigProblem[];
  /** The problems that are known without work: those of analysis are of its last run. Default: `problems`. */
  lastProblems?(): readonly ConfigProblem[];
  /** Pushes of the last minutes; absent in programs without pushes. */
  readonly activity?: PushActivity;
  /** Undefined for an unknown connection or type; absent in programs without proxies. */
  resourceStateOf?(connectionId: string, typeUrl: string): ResourceState | undefined;
  /** The newest rejections, newest first; absent in programs without proxies. */
  rejections?(): readonly PastRejection[];
  /** Objects that changed after a configuration version; undefined if tracking is off or the version has expired. */
  changedSince?(configVersion: string): ReadonlySet<ObjectKey> | undefined;
  /**
   * Explains a request with the objects in force; absent in programs without them.
   *
   * @throws HttpProblem 400 for a request that cannot be read
   */
  explainRequest?(question: RequestQuestion): ExplainedRequest;
  /** The counters of quotas; undefined while a remote server counts; absent in programs without quotas. */
  quotas?(): QuotaCounters | undefined;
  /** The other instances of the control plane; absent where there are none to ask. */
  readonly instances?: Instances;
  /** The separate policy servers that are connected to this instance; absent in programs without connections. */
  readonly policyServers?: Instances;
  /** The injector's template; undefined while the injector is off; absent in programs without an injector. */
  injectionTemplate?(): string | undefined;
}

/** The problems as pages show them that update themselves: an analysis of a large mesh would delay pushes. */
export function lastProblems(views: Views): readonly ConfigProblem[] {
  return views.lastProblems === undefined ? views.problems() : views.lastProblems();
}

/** The newest snapshot. @throws HttpProblem 503 until the sources have synced. */
export function requireContext(views: Views): PushContext {
  const context = views.context();
  if (context === undefined) {
    throw new HttpProblem(503, 'The server has not read the whole configuration yet. /ready answers 200 when it has.');
  }
  return context;
}
