import type { TSchema } from 'typebox';
import { createGatewayApiKinds } from './gateway-api/gateway-api-kinds.js';
import { injectionConfigSchema } from './injection/injection-config.js';
import { createKindDefinitions } from './kinds.js';
import { meshConfigSchema } from './mesh/mesh-config-schema.js';
import { meshNetworksSchema } from './mesh/mesh-networks.js';
import { proxyConfigSchema } from './mesh/proxy-config-schema.js';
import { DEFAULT_MESH_DOMAIN } from './mesh-domain.js';
import { resolvedPlanSchema } from './plans/resolved-plan.js';
import { serviceConfigSchema } from './policy/client-config.js';
import { COMPILED_ADAPTERS } from './policy-rules/catalogue/compiled-adapters.js';
import { policyServerSchema } from './policy-server/policy-server-schema.js';
import { metadataSchema } from './read-metadata.js';

/** All schemas of the programs. The build prepares their validators (scripts/generate-validators.mjs). */
export function preparedSchemas(): readonly TSchema[] {
  return [
    metadataSchema,
    ...createKindDefinitions(DEFAULT_MESH_DOMAIN).map(({ schema }) => schema),
    ...createGatewayApiKinds().map(({ schema }) => schema),
    meshConfigSchema,
    meshNetworksSchema,
    proxyConfigSchema,
    policyServerSchema,
    injectionConfigSchema,
    serviceConfigSchema,
    resolvedPlanSchema,
    ...[...COMPILED_ADAPTERS.values()].map(({ schema }) => schema),
  ];
}
