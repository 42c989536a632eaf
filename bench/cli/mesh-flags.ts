import type { MeshContent } from '../mesh/mesh-shape.js';
import type { Flags } from './bench-command.js';
import type { ParsedFlags } from './parsed-flags.js';
import { parseWholeNumber, type WholeNumberRange } from './whole-number.js';

/** The upper ends keep generated addresses inside 10.0.0.0/8; ten services hold one of plain TCP. */
const SERVICES: WholeNumberRange = { from: 10, to: 20_000 };
const ENDPOINTS: WholeNumberRange = { from: 1, to: 250 };
const NAMESPACES: WholeNumberRange = { from: 1, to: 1000 };
const ROUTED: WholeNumberRange = { from: 0, to: SERVICES.to };
const SCOPES: WholeNumberRange = { from: 0, to: NAMESPACES.to };

/** The size of the mesh, which several commands take. */
export const MESH_FLAGS = {
  services: { placeholder: 'N', default: '1000', description: `services of the mesh, ${SERVICES.from} or more` },
  endpoints: { placeholder: 'N', default: '10', description: 'endpoints of each service' },
  namespaces: { placeholder: 'N', default: '10', description: 'namespaces that the services are spread over' },
  routed: { placeholder: 'N', default: '0', description: 'services with a VirtualService and a DestinationRule' },
  scopes: {
    placeholder: 'N',
    default: '0',
    description: 'different scopes of namespaces, which then see half of the mesh',
  },
} as const satisfies Flags;

/**
 * Checks the size of a mesh.
 *
 * @throws UsageError with the flag, the value and the allowed values
 */
export function parseMeshSize(flags: ParsedFlags): MeshContent {
  return {
    services: parseWholeNumber('--services', flags.text('services'), SERVICES),
    endpointsPerService: parseWholeNumber('--endpoints', flags.text('endpoints'), ENDPOINTS),
    namespaces: parseWholeNumber('--namespaces', flags.text('namespaces'), NAMESPACES),
    routed: parseWholeNumber('--routed', flags.text('routed'), ROUTED),
    scopes: parseWholeNumber('--scopes', flags.text('scopes'), SCOPES),
  };
}
