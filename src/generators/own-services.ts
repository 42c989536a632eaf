import { hash } from 'node:crypto';
import { createMemo } from '../model/memo.js';
import type { PushContext, ServiceView } from '../model/push-context.js';
import type { Service } from '../model/service.js';
import { shadowedKey } from '../model/snapshot/endpoints-of.js';

/** The services that a view has instead of those that the mesh at large has under the same host. */
export interface OwnServices {
  readonly byHost: ReadonlyMap<string, Service>;
  /** Equal keys have equal services within one snapshot; empty when there are none. */
  readonly key: string;
}

const NONE: OwnServices = { byHost: new Map(), key: '' };

/**
 * Compares a view with the mesh once for as long as both have the same services. Most meshes have no host that
 * several namespaces claim, and nothing to compare.
 */
export function createOwnServiceLookup(): (context: PushContext, view: ServiceView) => OwnServices {
  const memo = createMemo<OwnServices>();
  return ({ servicesByHost, shadowedByHost }, view) =>
    shadowedByHost.size === 0 ? NONE : memo.of([view, servicesByHost], '', () => ownServices(view, servicesByHost));
}

function ownServices(view: ServiceView, servicesByHost: PushContext['servicesByHost']): OwnServices {
  const own = view.services.filter((service) => servicesByHost.get(service.hostname) !== service);
  if (own.length === 0) return NONE;
  // One namespace has one service per host.
  const key = hash('sha256', own.map(shadowedKey).sort().join(), 'base64url').slice(0, 22);
  return { byHost: new Map(own.map((service) => [service.hostname, service])), key };
}
