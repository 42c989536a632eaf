import { isDnsLabel } from '../../config/primitives.js';
import { type RefusedAnnotation, shownValue } from '../refused-annotation.js';
import type { Translation } from './translation.js';

const OWN_NAMESPACE: readonly string[] = ['.'];
const MAX_REFUSED = 20;

/**
 * Reads `networking.D/exportTo` of a Service: namespaces between commas, `*` or `.`. Items that are none of these are left
 * out. Where nothing is left, the Service is for its own namespace alone, for an annotation that cannot be read must not
 * show the Service to others.
 */
export function readExportTo(
  annotations: Readonly<Record<string, string>>,
  { meshDomain, defaultServiceExportTo }: Pick<Translation, 'meshDomain' | 'defaultServiceExportTo'>,
): { readonly exportTo: readonly string[]; readonly refused: readonly RefusedAnnotation[] } {
  const annotation = `networking.${meshDomain}/exportTo`;
  const items = (annotations[annotation] ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (items.length === 0) return { exportTo: defaultServiceExportTo, refused: [] };
  const stated = new Set(items);
  const wrong = [...stated].filter((item) => item !== '*' && item !== '.' && !isDnsLabel(item));
  for (const item of wrong) stated.delete(item);
  const refused = wrong.slice(0, MAX_REFUSED).map((item) => ({
    annotation,
    value: shownValue(item),
    problem: stated.size === 0 ? 'is no namespace, so only the own namespace sees the service' : 'is no namespace',
    remedy: 'use namespaces between commas, "*" for all, or "." for the own namespace',
  }));
  return { exportTo: stated.size === 0 ? OWN_NAMESPACE : [...stated], refused };
}
