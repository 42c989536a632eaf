import type { MeshObject } from './object.js';

/** An object in the form of files, with sorted labels and annotations. */
export function objectForm({ apiVersion, kind: modelKind, metadata, body }: MeshObject): object {
  const { namespace, labels, annotations, ...rest } = metadata;
  // A kind that has another name in the model: `Gateway.gateway.networking.k8s.io`.
  const [kind] = modelKind.split('.');
  const envelope = {
    apiVersion,
    kind,
    metadata: {
      ...rest,
      ...(namespace === '' ? {} : { namespace }),
      ...(Object.keys(labels).length === 0 ? {} : { labels: sorted(labels) }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations: sorted(annotations) }),
    },
  };
  return isCoreKind(apiVersion) ? { ...envelope, ...(body as object) } : { ...envelope, spec: body };
}

/** The body of a core kind has its top-level fields (`spec`, `status`, `subsets`); the body of a mesh kind is its spec. */
function isCoreKind(apiVersion: string): boolean {
  return (
    !apiVersion.includes('/') || ['discovery.k8s.io', 'networking.k8s.io'].includes(apiVersion.split('/', 1)[0] ?? '')
  );
}

function sorted(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).sort(([first], [second]) => (first < second ? -1 : 1)));
}
