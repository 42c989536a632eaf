import type { Discovery, SyncRow } from '../../test/counterparts/discovery.js';

/** A nonce is twelve characters that name the state of the whole configuration, and a UUID of the response. */
const VERSION_CHARACTERS = 12;
const RESPONSE_CHARACTERS = 8;

/** Configuration and response as two short words. */
export function shortNonce(nonce: string | undefined): string {
  if (nonce === undefined) return '–';
  return `${nonce.slice(0, VERSION_CHARACTERS)} ${nonce.slice(VERSION_CHARACTERS).slice(0, RESPONSE_CHARACTERS)}`;
}

/** The row of the workload's proxy, named `<name>.<namespace>`. */
export async function syncRowOf(discovery: Discovery, workload: string): Promise<SyncRow | undefined> {
  return (await discovery.syncRows()).find(({ proxy }) => proxy.includes(`~${workload}~`));
}

/** Whether the proxy has acknowledged the last of each type that it was sent, and was sent anything. */
export function isInSync(row: SyncRow): boolean {
  return (
    row.cluster_sent !== undefined &&
    row.cluster_acked === row.cluster_sent &&
    row.listener_acked === row.listener_sent &&
    row.route_acked === row.route_sent &&
    row.endpoint_acked === row.endpoint_sent
  );
}
