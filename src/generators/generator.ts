import type { Steps } from '../base/steps.js';
import type { EncodedResource } from '../envoy/encoded-resource.js';
import type { Finding } from '../model/finding.js';
import type { Proxy, ProxyType } from '../model/proxy.js';
import type { PushContext } from '../model/push-context.js';
import type { PushRequest } from '../model/push-request.js';

/**
 * The facts about a proxy that a generator reads. A generator never sees the proxy: proxies with equal scope keys share
 * one result, so the key names every fact in the scope.
 */
export interface Scope {
  readonly key: string;
}

export interface Generated {
  readonly resources: readonly EncodedResource[];
  readonly findings: readonly Finding[];
}

/**
 * One independently cached part of a type's resources, for example the outbound clusters of a view, or the
 * inbound clusters of a workload. Pure: equal snapshot and scope give equal bytes, in any order.
 */
export interface ResourcePart<S extends Scope = Scope> {
  readonly name: string;
  /** Undefined when the part has nothing for such a proxy. */
  scope(context: PushContext, proxy: Proxy): S | undefined;
  generate(context: PushContext, scope: S): Generated;
  /** Makes the same in steps. Present where `generate` may take longer than the event loop should be blocked. */
  generateInSteps?(context: PushContext, scope: S): Steps<Generated>;
  /**
   * Of a part whose resources on-demand proxies ask for by name: the names that a proxy needs without asking, sorted.
   * Undefined for a proxy that gets the whole part. Default: every proxy does.
   */
  neededNames?(context: PushContext, proxy: Proxy): readonly string[] | undefined;
}

interface GeneratorBase {
  readonly typeUrl: string;
  /**
   * Whether the change can alter the resources of proxies of this type; false only when it provably cannot.
   *
   * @param context the snapshot after the change; with it the answer is more precise
   */
  affectedBy(request: PushRequest, proxyType: ProxyType, context?: PushContext): boolean;
}

/** A type of which a proxy gets all resources: clusters, listeners. */
export interface WildcardGenerator extends GeneratorBase {
  readonly mode: 'wildcard';
  /** Parts never produce the same resource name for one proxy. */
  readonly parts: readonly ResourcePart[];
}

/** A type that a proxy asks for by name: endpoints, routes. */
export interface NamedGenerator<S extends Scope = Scope> extends GeneratorBase {
  readonly mode: 'named';
  /**
   * Present for a type whose client takes a resource that a response leaves out as removed: each response in state of
   * the world then has all resources that the client asked for.
   */
  readonly isWhole?: true;
  scope(context: PushContext, proxy: Proxy): S;
  /** Undefined when no such resource exists. The generator remembers results whose inputs are the same objects. */
  generate(context: PushContext, scope: S, name: string): EncodedResource | undefined;
  /** Makes the same in steps. Present where one resource may take longer than the event loop should be blocked. */
  generateInSteps?(context: PushContext, scope: S, name: string): Steps<EncodedResource | undefined>;
  /**
   * The only host on whose endpoints the named resource depends. The resource stays the same while its scope key stays
   * and only endpoints of other hosts change, in a push that is not a full one. Without this function every change can
   * concern every name.
   */
  hostOf?(name: string): string;
  /** Findings about the named resource, where there are any. */
  findings?(context: PushContext, scope: S, name: string): readonly Finding[];
}

/** A type of which a proxy gets all resources of some groups: the virtual hosts of its route tables. */
export interface GroupedGenerator<S extends Scope = Scope> extends GeneratorBase {
  readonly mode: 'grouped';
  scope(context: PushContext, proxy: Proxy): S;
  /** No name is in two groups. Empty for a group that does not exist. */
  generate(context: PushContext, scope: S, group: string): readonly EncodedResource[];
  /** Makes the same in steps. Present where one group may take longer than the event loop should be blocked. */
  generateInSteps?(context: PushContext, scope: S, group: string): Steps<readonly EncodedResource[]>;
}

export type ResourceGenerator = WildcardGenerator | NamedGenerator | GroupedGenerator;
