import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';

/** The part of a core v1 Node that the model reads. Region and zone are labels in its metadata. */
export const nodeSchema = Type.Object({
  status: Type.Object(
    {
      addresses: Type.Array(
        Type.Object({
          type: Type.String({ description: 'InternalIP, ExternalIP, Hostname, …' }),
          address: Type.String({ description: 'The address.' }),
        }),
        { description: 'Addresses of the node.', default: [] },
      ),
    },
    { default: {} },
  ),
});

export type NodeBody = Immutable<Static<typeof nodeSchema>>;
