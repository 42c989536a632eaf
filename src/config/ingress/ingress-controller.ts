/** Names that say which Ingress objects the mesh serves (docs/ingress.md#classes). */

/** Annotation of an Ingress with its class; older than `spec.ingressClassName`, over which it has precedence. */
export const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

/** Annotation of the IngressClass that Ingresses without a class have: `"true"`. */
export const DEFAULT_CLASS_ANNOTATION = 'ingressclass.kubernetes.io/is-default-class';

/** `spec.controller` of the IngressClasses that the mesh serves. */
export function ingressControllerName(meshDomain: string): string {
  return `${meshDomain}/ingress-controller`;
}
