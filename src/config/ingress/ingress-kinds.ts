import { INGRESS_GROUP, type KindDefinition } from '../kind-definition.js';
import { type IngressBody, ingressSchema } from './ingress.js';
import { type IngressClassBody, ingressClassSchema } from './ingress-class.js';
import { validateIngress } from './ingress-rules.js';

/** The kinds of group `networking.k8s.io` that the mesh reads. Fields that it does not read are dropped. */
export function createIngressKinds(): readonly KindDefinition[] {
  const shared = {
    group: INGRESS_GROUP,
    versions: ['v1'],
    bodyAt: 'object',
    unknownFields: 'dropped',
  } as const;
  const ingress: KindDefinition<IngressBody> = {
    ...shared,
    kind: 'Ingress',
    plural: 'ingresses',
    namespaced: true,
    schema: ingressSchema,
    validate: validateIngress,
  };
  const ingressClass: KindDefinition<IngressClassBody> = {
    ...shared,
    kind: 'IngressClass',
    plural: 'ingressclasses',
    namespaced: false,
    schema: ingressClassSchema,
    validate: () => [],
  };
  return [ingress as KindDefinition, ingressClass as KindDefinition];
}
