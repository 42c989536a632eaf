import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { MAX_NAME, nameText, optionalName } from './object-reference.js';

const group = Type.String({ description: 'API group; empty for the core group.', default: '', maxLength: MAX_NAME });

/** `spec` of a ReferenceGrant: which objects of other namespaces may refer to which objects of its namespace. */
export const referenceGrantSchema = Type.Object({
  from: Type.Array(
    Type.Object({ group, kind: nameText('Kind of the referring objects.'), namespace: nameText('Their namespace.') }),
    { description: 'The objects that may refer to those of this namespace.', minItems: 1, maxItems: 16 },
  ),
  to: Type.Array(
    Type.Object({
      group,
      kind: nameText('Kind of the objects that may be referred to.'),
      name: optionalName('Name of the object. Default: every object of the kind.'),
    }),
    { description: 'The objects of this namespace that may be referred to.', minItems: 1, maxItems: 16 },
  ),
});

export type ReferenceGrantSpec = Immutable<Static<typeof referenceGrantSchema>>;
