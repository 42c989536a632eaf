import type { MeshSize } from '../mesh/mesh-shape.js';
import type { Flags } from './bench-command.js';
import type { ParsedFlags } from './parsed-flags.js';
import { parseWholeNumber, type WholeNumberRange } from './whole-number.js';

/** The upper ends keep generated addresses inside 10.0.0.0/8; ten services hold one of plain TCP. */
const SERVICES: WholeNumberRange = { from: 10, to: 20_000 };
const ENDPOINTS: WholeNumberRange = { from: 1, to: 250 };
const NAMESPACES: WholeNumberRange = { from: 1, to: 1000 };

/** The size of the mesh, which several commands take. */
export const MESH_FLAGS = {
  services: { placeholder: 'N', default: '1000', description: `services of the mesh, ${SERVICES.from} or more` },
  endpoints: { placeholder: 'N', default: '10', description: 'endpoints of each service' },
  namespaces: { placeholder: 'N', default: '10', description: 'namespaces that the services are spread over' },
} as const satisfies Flags;

/**
 * Checks the size of a mesh.
 *
 * @throws UsageError with the flag, the value and the allowed values
 */
export function parseMeshSize(flags: ParsedFlags): MeshSize {
  return {
    services: parseWholeNumber('--services', flags.text('services'), SERVICES),
    endpointsPerService: parseWholeNumber('--endpoints', flags.text('endpoints'), ENDPOINTS),
    namespaces: parseWholeNumber('--namespaces', flags.text('namespaces'), NAMESPACES),
  };
}
