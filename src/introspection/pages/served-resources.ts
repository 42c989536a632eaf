import { compareNames } from '../../envoy/resource-set.js';
import { JsonList, listOf } from '../json-source.js';
import { resourceJson } from '../resource-json.js';
import type { Views } from '../views.js';

/** The resources of a type for a connection, by name, converted to JSON on demand. */
export function servedResources(views: Views, connectionId: string, typeUrl: string): JsonList {
  const resources = views.resourcesOf(connectionId, typeUrl).toSorted(compareNames);
  return listOf(resources, (resource) => resourceJson(views.messageJson, resource));
}

/** Like `servedResources`, but empty unless NAV_DEBUG_ADSZ_CONFIG is true. */
export function debugResources(views: Views, connectionId: string, typeUrl: string): JsonList {
  return views.adszConfigEnabled ? servedResources(views, connectionId, typeUrl) : new JsonList([]);
}
