import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';

/** Labels of a selector, and ports with a mode of their own, that one object may have. */
const MAX_ENTRIES = 256;

/** The mode is absent in a file where it says nothing of its own, and `UNSET` in what the model reads. */
const mutualTlsSchema = Type.Object(
  {
    mode: Type.Enum(['UNSET', 'DISABLE', 'PERMISSIVE', 'STRICT'], {
      description:
        'UNSET inherits; DISABLE accepts only plaintext; PERMISSIVE accepts plaintext and mutual TLS; STRICT accepts only mutual TLS.',
      default: 'UNSET',
    }),
  },
  { additionalProperties: false, description: 'Which connections a workload accepts.' },
);

const selectorSchema = Type.Object(
  {
    matchLabels: stringMap(Type.String({ maxLength: 63 }), {
      description: 'Labels that a workload must have, all of them.',
      default: {},
      maxProperties: MAX_ENTRIES,
    }),
  },
  { additionalProperties: false, description: 'Selects workloads of the same namespace by label.' },
);

/**
 * `spec` of a PeerAuthentication (BEHAVIOUR 7, "PeerAuthentication"). Without a selector it holds for its
 * namespace, in the root namespace for the mesh.
 */
export const peerAuthenticationSchema = Type.Object(
  {
    selector: Type.Optional(selectorSchema),
    mtls: Type.Optional(mutualTlsSchema),
    portLevelMtls: Type.Optional(
      stringMap(mutualTlsSchema, {
        description:
          'Modes of single ports, by the number that the workload listens on, 1 to 65535; needs a selector. Other ports have the mode of mtls.',
        maxProperties: MAX_ENTRIES,
      }),
    ),
  },
  { additionalProperties: false, description: 'Whether workloads accept plaintext connections, mutual TLS, or both.' },
);

export type PeerAuthenticationSpec = Immutable<Static<typeof peerAuthenticationSchema>>;
