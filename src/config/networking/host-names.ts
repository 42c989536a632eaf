/** The gateway that stands for all sidecars. */
export const MESH_GATEWAY = 'mesh';

/** Whether every host that `inner` stands for is one that `outer` stands for; the first label of each may be `*`. */
export function coversHost(outer: string, inner: string): boolean {
  if (outer === '*' || outer === inner) return true;
  return outer.startsWith('*.') && inner.endsWith(outer.slice(1)) && inner.length > outer.length - 1;
}
