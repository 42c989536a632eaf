import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { childPath, type Violation } from '../violation.js';
import { validateWorkloadSelector, workloadSelectorSchema } from './workload-selector.js';

/** Maximum ports with a mode of their own. */
const MAX_ENTRIES = 256;

/** A missing mode becomes `UNSET` in the object that the model reads. */
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

/**
 * `spec` of a PeerAuthentication (docs/reference/validation-rules.md#peerauthentication). Without a selector the object
 * applies to its namespace, and in the root namespace to the whole mesh.
 */
export const peerAuthenticationSchema = Type.Object(
  {
    selector: Type.Optional(workloadSelectorSchema),
    mtls: Type.Optional(mutualTlsSchema),
    portLevelMtls: Type.Optional(
      stringMap(mutualTlsSchema, {
        description:
          'Modes by port number of the workload, 1 to 65535; needs a selector. Other ports have the mode of mtls.',
        maxProperties: MAX_ENTRIES,
      }),
    ),
  },
  { additionalProperties: false, description: 'Whether workloads accept plaintext connections, mutual TLS, or both.' },
);

export type PeerAuthenticationSpec = Immutable<Static<typeof peerAuthenticationSchema>>;

const PORT = /^[1-9]\d{0,4}$/;

/**
 * Rules of a PeerAuthentication that its schema cannot express (docs/reference/validation-rules.md#peerauthentication).
 */
export function validatePeerAuthentication(spec: PeerAuthenticationSpec): readonly Violation[] {
  return [...validateWorkloadSelector(spec.selector), ...validatePorts(spec)];
}

function validatePorts({ selector, portLevelMtls }: PeerAuthenticationSpec): readonly Violation[] {
  if (portLevelMtls === undefined) return [];
  const ports = Object.keys(portLevelMtls);
  const violations: Violation[] = [];
  if (selector === undefined || Object.keys(selector.matchLabels).length === 0) {
    violations.push({
      path: 'portLevelMtls',
      value: portLevelMtls,
      message: 'is set without labels in selector, so it would apply to ports of every workload',
      remedy: 'select the workloads by selector.matchLabels, or remove portLevelMtls and set mtls',
    });
  }
  if (ports.length === 0) {
    violations.push({
      path: 'portLevelMtls',
      value: portLevelMtls,
      message: 'has no ports',
      remedy: 'add a port with its mode, or remove portLevelMtls',
    });
  }
  for (const port of ports) {
    if (PORT.test(port) && Number(port) <= 65535) continue;
    violations.push({
      path: childPath('portLevelMtls', port),
      value: port,
      message: 'is not a port number',
      remedy: 'use the port number that the workload listens on, 1 to 65535',
    });
  }
  return violations;
}
