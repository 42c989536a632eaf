import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import type { KindDefinition } from '../kind-definition.js';
import type { Violation } from '../violation.js';
import { validateEndpointSlice, validateEndpoints, validatePod } from './endpoint-address-rules.js';
import { type EndpointSliceBody, endpointSliceSchema } from './endpoint-slice.js';
import { type EndpointsBody, endpointsSchema } from './endpoints.js';
import { nodeSchema } from './node.js';
import { createPodReducer, type PodBody, podSchema } from './pod.js';
import { type ServiceBody, serviceSchema } from './service.js';
import { validateService } from './service-rules.js';

/** A core v1 Namespace. The model reads only its metadata. */
const namespaceSchema = Type.Object({});

/** Kubernetes' own kinds. Fields that the model does not read are dropped. */
export function createCoreKinds(): readonly KindDefinition[] {
  return [
    coreKind<ServiceBody>('Service', 'services', serviceSchema, validateService),
    coreKind<EndpointsBody>('Endpoints', 'endpoints', endpointsSchema, validateEndpoints),
    coreKind<PodBody>('Pod', 'pods', podSchema, validatePod, createPodReducer()),
    { ...coreKind('Node', 'nodes', nodeSchema, () => []), namespaced: false },
    { ...coreKind('Namespace', 'namespaces', namespaceSchema, () => []), namespaced: false },
    {
      ...coreKind<EndpointSliceBody>('EndpointSlice', 'endpointslices', endpointSliceSchema, validateEndpointSlice),
      group: 'discovery.k8s.io',
    },
  ];
}

function coreKind<Body>(
  kind: string,
  plural: string,
  schema: TSchema,
  validate: (body: Body) => readonly Violation[],
  reduce?: (body: Body) => Body,
): KindDefinition {
  const definition: KindDefinition<Body> = {
    group: '',
    versions: ['v1'],
    kind,
    plural,
    namespaced: true,
    schema,
    bodyAt: 'object',
    unknownFields: 'dropped',
    validate,
    ...(reduce === undefined ? {} : { reduce }),
  };
  return definition as KindDefinition;
}
