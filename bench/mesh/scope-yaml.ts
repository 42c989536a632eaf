/**
 * The files with the Sidecars of all namespaces, by path below the mesh folder: each sees half of the namespaces. Namespaces of different scopes see different halves.
 *
 * @param scopes how many different ones, 1 to the number of namespaces
 */
export function formatScopeFiles(namespaces: readonly string[], scopes: number): ReadonlyMap<string, string> {
  const half = Math.ceil(namespaces.length / 2);
  const files = namespaces.map((namespace, index): readonly [string, string] => {
    const first = index % scopes;
    const hosts = Array.from({ length: half }, (_, offset) => namespaces[(first + offset) % namespaces.length]);
    return [`${namespace}/scope.yaml`, formatSidecar(namespace, hosts.map((seen) => `  - "${seen}/*"\n`).join(''))];
  });
  return new Map(files);
}

function formatSidecar(namespace: string, hosts: string): string {
  return `apiVersion: networking.mesh.internal/v1beta1
kind: Sidecar
metadata:
  name: default
  namespace: ${namespace}
spec:
  egress:
  - hosts:
${hosts.replaceAll('  - ', '    - ')}`;
}
