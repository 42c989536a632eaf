import type { MessageFields } from '../../envoy/messages/message-problem.js';
import { parseOutboundClusterName } from '../../envoy/names.js';
import type { Patch } from '../../model/patches/envoy-patches.js';
import { isForSide, type PatchPlace, sideOf } from './patch-place.js';
import { type PatchTools, textIn } from './patch-tools.js';

/** What a patch did to a resource. */
export type PatchEffect = 'none' | 'changed' | 'removed';

export function applyToCluster(
  tools: PatchTools,
  patch: Patch,
  cluster: MessageFields,
  place: PatchPlace,
): PatchEffect {
  if (patch.applyTo !== 'CLUSTER' || !matchesCluster(patch, textIn(cluster, 'name'), place)) return 'none';
  switch (patch.patch.operation) {
    case 'MERGE':
      tools.merge(patch, cluster);
      return 'changed';
    case 'REMOVE':
      return 'removed';
    default:
      return 'none';
  }
}

function matchesCluster({ match }: Patch, name: string, { proxyType }: PatchPlace): boolean {
  const isInbound = name.startsWith('inbound|') || name.startsWith('InboundPassthroughCluster');
  if (!isForSide(match, sideOf(proxyType, isInbound))) return false;
  const { cluster } = match ?? {};
  if (cluster === undefined) return true;
  if (cluster.name !== undefined) return cluster.name === name;
  const { portNumber, service, subset } = cluster;
  if (portNumber === undefined && service === undefined && subset === undefined) return true;
  const parts = clusterParts(name);
  if (parts === undefined) return false;
  if (portNumber !== undefined && portNumber !== parts.port) return false;
  if (service !== undefined && service.toLowerCase() !== parts.hostname.toLowerCase()) return false;
  return subset === undefined || subset === parts.subset;
}

interface ClusterParts {
  readonly port: number;
  readonly subset: string;
  readonly hostname: string;
}

/** The parts of the names of outbound, inbound and SNI-routed clusters; undefined for other clusters. */
function clusterParts(name: string): ClusterParts | undefined {
  const outbound = parseOutboundClusterName(name);
  if (outbound !== undefined) return outbound;
  const [, inboundPort, inboundHost] = /^inbound\|(\d{1,5})\|[^|]*\|([^|]+)$/.exec(name) ?? [];
  if (inboundHost !== undefined) return { port: Number(inboundPort), subset: '', hostname: inboundHost };
  const [, port, subset, hostname] = /^outbound_\.(\d{1,5})_\.([^_]*)_\.(.+)$/.exec(name) ?? [];
  return hostname === undefined ? undefined : { port: Number(port), subset: subset ?? '', hostname };
}
