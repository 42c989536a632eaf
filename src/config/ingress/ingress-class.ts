import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';

/** The part of a networking.k8s.io/v1 IngressClass that the model reads. */
export const ingressClassSchema = Type.Object({
  spec: Type.Object(
    {
      controller: Type.String({
        description: 'Controller that serves the Ingresses of the class.',
        default: '',
        maxLength: 250,
      }),
    },
    { description: 'The specification of the class.', default: {} },
  ),
});

export type IngressClassBody = Immutable<Static<typeof ingressClassSchema>>;
