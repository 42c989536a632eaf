import { createMessageJson, type Json } from '../../../src/envoy/message-json.js';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';

const messageJson = createMessageJson(loadProtoRegistry());

export function readJson(typeUrl: string, bytes: Buffer): Json {
  return messageJson.bytesToJson(typeUrl, bytes);
}

/** The assignment that an EDS cluster refers to. */
export function assignmentOf(cluster: Json): string | undefined {
  if (typeof cluster !== 'object' || cluster === null || Array.isArray(cluster)) return undefined;
  if (cluster['type'] !== 'EDS') return undefined;
  const config = cluster['edsClusterConfig'] as { serviceName?: string } | undefined;
  return config?.serviceName || (cluster['name'] as string);
}

/** Names of filters whose configuration is not in the listener. */
export function filtersIn(json: Json, found = new Set<string>()): ReadonlySet<string> {
  if (typeof json !== 'object' || json === null) return found;
  if (!Array.isArray(json) && 'configDiscovery' in json) found.add(String(json['name']));
  for (const value of Object.values(json)) filtersIn(value, found);
  return found;
}

/** Names of route tables that a listener refers to. */
export function routesIn(json: Json, found = new Set<string>()): ReadonlySet<string> {
  if (typeof json !== 'object' || json === null) return found;
  if (!Array.isArray(json) && typeof json['routeConfigName'] === 'string') found.add(json['routeConfigName']);
  for (const value of Object.values(json)) routesIn(value, found);
  return found;
}
