import type { MeshObject } from '../../config/object.js';
import type { PushContext } from '../../model/push-context.js';
import { listOf } from '../json-source.js';
import { compareText, sortKeys } from '../order.js';
import { json, type Page } from '../page.js';
import { requireContext } from '../views.js';

/** All configuration objects, by kind, namespace and name, in the form of files. */
export const configz: Page = {
  path: '/debug/configz',
  description: 'All configuration objects, in the form of files',
  audience: 'operator',
  handle: (views) => json(listOf(sortedObjects(requireContext(views)), resourceForm)),
};

function* sortedObjects(context: PushContext): Generator<MeshObject> {
  const kinds = [...context.objects].sort(([first], [second]) => compareText(first, second));
  for (const [, objects] of kinds) {
    yield* [...objects].sort(([first], [second]) => compareText(first, second)).map(([, object]) => object);
  }
}

function resourceForm({ apiVersion, kind, metadata, body }: MeshObject): object {
  const { namespace, labels, annotations, ...rest } = metadata;
  const envelope = {
    apiVersion,
    kind,
    metadata: {
      ...rest,
      ...(namespace === '' ? {} : { namespace }),
      ...(Object.keys(labels).length === 0 ? {} : { labels: sortKeys(labels) }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations: sortKeys(annotations) }),
    },
  };
  return isCoreKind(apiVersion) ? { ...envelope, ...(body as object) } : { ...envelope, spec: body };
}

/** The body of a core kind has its top-level fields (`spec`, `status`, `subsets`); the body of a mesh kind is its spec. */
function isCoreKind(apiVersion: string): boolean {
  return !apiVersion.includes('/') || apiVersion.startsWith('discovery.k8s.io/');
}
