import type { IngressBody } from '../../../config/ingress/ingress.js';
import type { IngressClassBody } from '../../../config/ingress/ingress-class.js';
import {
  CLASS_ANNOTATION,
  DEFAULT_CLASS_ANNOTATION,
  ingressControllerName,
} from '../../../config/ingress/ingress-controller.js';
import type { MeshConfig } from '../../../config/mesh/mesh-config.js';
import type { MeshObject } from '../../../config/object.js';

export type IngressMeshConfig = Pick<MeshConfig, 'ingressClass' | 'ingressControllerMode'>;

/**
 * Which Ingresses gateways serve (docs/ingress.md#classes): the annotation decides first, then the class, then the mode.
 *
 * @param classes all objects of kind IngressClass
 */
export function createIngressFilter(
  { ingressClass, ingressControllerMode: mode }: IngressMeshConfig,
  meshDomain: string,
  classes: Iterable<MeshObject>,
): (ingress: MeshObject) => boolean {
  if (mode === 'OFF') return () => false;
  const controller = ingressControllerName(meshDomain);
  const isOwn = new Map<string, boolean>();
  let isDefaultOwn = false;
  for (const { body, metadata } of classes) {
    const own = (body as IngressClassBody).spec.controller === controller;
    isOwn.set(metadata.name, own);
    isDefaultOwn ||= own && metadata.annotations[DEFAULT_CLASS_ANNOTATION] === 'true';
  }
  return ({ body, metadata: { annotations } }) => {
    const annotation = annotations[CLASS_ANNOTATION];
    if (annotation !== undefined) return annotation === ingressClass;
    const { ingressClassName } = (body as IngressBody).spec;
    // Files often have no object for the class that the mesh config names.
    if (ingressClassName !== undefined) return isOwn.get(ingressClassName) ?? ingressClassName === ingressClass;
    return mode === 'DEFAULT' || isDefaultOwn;
  };
}
