import type { MeshObject } from '../../config/object.js';
import { objectForm } from '../../config/object-form.js';
import type { PushContext } from '../../model/push-context.js';
import { listOf } from '../json-source.js';
import { compareText } from '../order.js';
import { json, type Page } from '../page.js';
import { requireContext } from '../views.js';

/**
 * All configuration objects, by kind, namespace and name, in the form of files. An object that the control plane made has
 * the keys of its sources in `madeFrom`.
 */
export const configz: Page = {
  path: '/debug/configz',
  description: 'All configuration objects, in the form of files',
  audience: 'operator',
  handle: (views) => json(listOf(sortedObjects(requireContext(views)), shownForm)),
};

function shownForm(object: MeshObject): object {
  const { derivedFrom } = object;
  return derivedFrom === undefined ? objectForm(object) : { ...objectForm(object), madeFrom: derivedFrom };
}

function* sortedObjects(context: PushContext): Generator<MeshObject> {
  const kinds = [...context.objects].sort(([first], [second]) => compareText(first, second));
  for (const [, objects] of kinds) {
    yield* [...objects].sort(([first], [second]) => compareText(first, second)).map(([, object]) => object);
  }
}
