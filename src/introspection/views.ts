import type { ObjectKey } from '../config/object.js';
import type { EncodedResource } from '../envoy/encoded-resource.js';
import type { MessageJson } from '../envoy/message-json.js';
import type { Finding } from '../model/finding.js';
import type { ProxyConnection } from '../model/proxy-connection.js';
import type { PushContext } from '../model/push-context.js';
import type { MetricsText } from '../telemetry/metrics-text.js';
import type { ReadinessProbe } from './ready.js';

/** What `/version` and the index page name (BEHAVIOUR 2, `version`). Unset values are `unknown`. */
export interface BuildInfo {
  readonly version: string;
  readonly revision: string;
  readonly status: string;
}

/** A kind of configuration that the server knows, for `/debug/resourcesz`. */
export interface KnownKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * What is wrong with configuration, for `/debug/config_problems`: something in a source that could not be taken, so
 * that its last good state is served on, or what analysis found in what was taken.
 */
export interface ConfigProblem {
  /** Absent for what a source could not take, which is an error. */
  readonly level?: 'Error' | 'Warn' | 'Info';
  /** `MESHnnnn`, where analysis found it. */
  readonly code?: string;
  /** File, or whatever names the place in another source; absent where analysis found it. */
  readonly file?: string;
  /** Document in the file, from 1; absent when the file as a whole is the problem. */
  readonly document?: number;
  /** `<Kind>/<namespace>/<name>` where it is known. */
  readonly object?: ObjectKey;
  /** Path of the field, for example `spec.ports[0].number`. */
  readonly field?: string;
  readonly reason: string;
}

/** The policy client's configurations as a proxy is served them, whether it asks or not, for `/debug/policyz`. */
export interface PolicyConfigs {
  readonly http: readonly EncodedResource[];
  readonly tcp: readonly EncodedResource[];
  /** Of all services. */
  readonly services: readonly EncodedResource[];
}

/**
 * Everything that the HTTP pages show, as functions that read the present state. Filled in by bootstrap; all
 * of them are cheap, and none may change anything but `triggerPush`.
 */
export interface Views {
  readonly build: BuildInfo;
  readonly messageJson: MessageJson;
  /** All of them must pass for `/ready` to say 200. Parts that start later may add theirs to the list. */
  readonly probes: readonly ReadinessProbe[];
  /** NAV_ENABLE_CONFIG_DISTRIBUTION_TRACKING */
  readonly trackingEnabled: boolean;
  /** NAV_DEBUG_ADSZ_CONFIG: adsz and cdsz show resources too. */
  readonly adszConfigEnabled: boolean;
  readonly knownKinds: readonly KnownKind[];
  /** Rendered at most once a second, whatever number of callers. */
  metrics(): Promise<MetricsText>;
  connections(): readonly ProxyConnection[];
  /** Undefined until the sources have synced. */
  context(): PushContext | undefined;
  /** What the proxy is served of a type at present; empty for an unknown connection or type. */
  resourcesOf(connectionId: string, typeUrl: string): readonly EncodedResource[];
  /** Undefined when the policy plugin is off. */
  policyConfigsOf(connectionId: string): PolicyConfigs | undefined;
  /** Ledger root of the newest snapshot; empty when tracking is off. */
  currentRoot(): string;
  /** Version of an object under a ledger root; undefined when there was none or the root has expired. */
  versionOf(root: string, key: ObjectKey): string | undefined;
  /** Starts a full push with reason `debug` and returns how many proxies it goes to. */
  triggerPush(): number;
  /** Findings of the last push; undefined before the first. */
  pushStatus(): readonly Finding[] | undefined;
  problems(): readonly ConfigProblem[];
  /** Text of the injector's template; undefined while it is off, absent where there is none. */
  injectionTemplate?(): string | undefined;
}
