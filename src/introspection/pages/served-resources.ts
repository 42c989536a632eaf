import { compareNames } from '../../envoy/resource-set.js';
import { JsonList, listOf } from '../json-source.js';
import { resourceJson } from '../resource-json.js';
import type { Views } from '../views.js';

/** The resources of a type that a connection is served, by name, each made into JSON when its turn comes. */
export function servedResources(views: Views, connectionId: string, typeUrl: string): JsonList {
  const resources = views.resourcesOf(connectionId, typeUrl).toSorted(compareNames);
  return listOf(resources, (resource) => resourceJson(views.messageJson, resource));
}

/** The same, for pages that show resources only with NAV_DEBUG_ADSZ_CONFIG; empty otherwise. */
export function debugResources(views: Views, connectionId: string, typeUrl: string): JsonList {
  return views.adszConfigEnabled ? servedResources(views, connectionId, typeUrl) : new JsonList([]);
}
