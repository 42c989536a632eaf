import type { EncodedResource } from '../envoy/encoded-resource.js';
import type { Finding } from '../model/finding.js';
import type { Proxy, ProxyType } from '../model/proxy.js';
import type { PushContext } from '../model/push-context.js';
import type { PushRequest } from '../model/push-request.js';

/**
 * The few facts about a proxy that a generator reads. A generator never sees the proxy itself: proxies with
 * equal scope keys share one result, and the key is made of exactly these facts, so none can be forgotten.
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
}

interface GeneratorBase {
  readonly typeUrl: string;
  /**
   * Whether the change can alter what proxies of this type are served; false only when provably not.
   *
   * @param context the snapshot after the change, with which a generator can tell more precisely
   */
  affectedBy(request: PushRequest, proxyType: ProxyType, context?: PushContext): boolean;
}

/** A type of which a proxy gets everything: clusters, listeners. */
export interface WildcardGenerator extends GeneratorBase {
  readonly mode: 'wildcard';
  /** Parts never produce the same resource name for one proxy. */
  readonly parts: readonly ResourcePart[];
}

/** A type that a proxy asks for by name: endpoints, routes. */
export interface NamedGenerator<S extends Scope = Scope> extends GeneratorBase {
  readonly mode: 'named';
  scope(context: PushContext, proxy: Proxy): S;
  /** Undefined when no such resource exists. Results are remembered by the generator where inputs are the same objects. */
  generate(context: PushContext, scope: S, name: string): EncodedResource | undefined;
  /**
   * The host on whose endpoints the named resource depends, and on no others': while nothing but endpoints of other
   * hosts changes (a push that is not a full one) and the scope's key stays, it stays as it is. Without this function
   * every change can concern every name.
   */
  hostOf?(name: string): string;
  /** Findings about the named resource, where there are any. */
  findings?(context: PushContext, scope: S, name: string): readonly Finding[];
}

export type ResourceGenerator = WildcardGenerator | NamedGenerator;
