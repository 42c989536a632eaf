import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';

/** An EnvoyFilter is applied for every workload that it selects, so each list has a limit. */
const MAX_PATCHES = 64;
const MAX_TEXT_LENGTH = 1024;
const MAX_LABELS = 64;
/** Expressions select versions of proxies, which are short. */
const MAX_VERSION_EXPRESSION_LENGTH = 256;

export const APPLY_TO = [
  'LISTENER',
  'FILTER_CHAIN',
  'NETWORK_FILTER',
  'HTTP_FILTER',
  'ROUTE_CONFIGURATION',
  'VIRTUAL_HOST',
  'HTTP_ROUTE',
  'CLUSTER',
] as const;

export const PATCH_OPERATIONS = ['MERGE', 'ADD', 'REMOVE', 'INSERT_BEFORE', 'INSERT_AFTER', 'INSERT_FIRST'] as const;

function text(description: string) {
  return Type.Optional(Type.String({ description, minLength: 1, maxLength: MAX_TEXT_LENGTH }));
}

function port(description: string) {
  return Type.Optional(Type.Integer({ description, minimum: 1, maximum: 65535 }));
}

const filterMatchSchema = Type.Object(
  {
    name: text('Name of a network filter, for example envoy.filters.network.http_connection_manager.'),
    subFilter: Type.Optional(
      Type.Object(
        { name: text('Name of an HTTP filter, for example envoy.filters.http.router.') },
        { additionalProperties: false, description: 'An HTTP filter of the connection manager; for HTTP_FILTER only.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'A filter of the chain; absent: all filters.' },
);

const listenerMatchSchema = Type.Object(
  {
    portNumber: port(
      'Port of the listener. In the inbound listener: the port that the workload listens on, of each filter chain.',
    ),
    portName: text('Name of a service port, in any case: its port number is matched as portNumber.'),
    name: text('Name of the listener, for example virtualInbound.'),
    filterChain: Type.Optional(
      Type.Object(
        {
          name: text('Name of the filter chain.'),
          sni: text('A server name that the filter chain matches.'),
          transportProtocol: text('The transport protocol that the filter chain matches: tls or raw_buffer.'),
          applicationProtocols: text(
            'Application protocols, separated by commas. The filter chain must match all of them.',
          ),
          filter: Type.Optional(filterMatchSchema),
        },
        {
          additionalProperties: false,
          description: 'Filter chains; all fields must match. Absent: all filter chains.',
        },
      ),
    ),
  },
  { additionalProperties: false, description: 'Listeners; all fields must match.' },
);

const routeConfigurationMatchSchema = Type.Object(
  {
    portNumber: port('Port of the route configuration: of the service, of the gateway, or inbound of the workload.'),
    portName: text('Name of a service port, or of a server port of a Gateway.'),
    gateway: text('The Gateway of an HTTPS server, as <namespace>/<name>; for context GATEWAY.'),
    vhost: Type.Optional(
      Type.Object(
        {
          name: text('Name of the virtual host, for example web.shop.svc.cluster.local:80.'),
          route: Type.Optional(
            Type.Object(
              {
                name: text('Name of the route: that of the HTTP route of a VirtualService, or default.'),
                action: Type.Enum(['ANY', 'ROUTE', 'REDIRECT', 'DIRECT_RESPONSE'], {
                  description: 'What the route does: it forwards, redirects, or answers itself.',
                  default: 'ANY',
                }),
              },
              { additionalProperties: false, description: 'Routes; all fields must match. Absent: all routes.' },
            ),
          ),
        },
        {
          additionalProperties: false,
          description: 'Virtual hosts; all fields must match. Absent: all virtual hosts.',
        },
      ),
    ),
    name: text('Name of the route configuration, for example 80 or http.8080.'),
  },
  { additionalProperties: false, description: 'Route configurations; all fields must match.' },
);

const clusterMatchSchema = Type.Object(
  {
    portNumber: port('Port of the service.'),
    service: text('Host of the service, for example web.shop.svc.cluster.local.'),
    subset: text('Name of the subset.'),
    name: text('Name of the cluster, for example BlackHoleCluster. Excludes the other fields.'),
  },
  { additionalProperties: false, description: 'Clusters; all fields must match.' },
);

const matchSchema = Type.Object(
  {
    context: Type.Enum(['ANY', 'SIDECAR_INBOUND', 'SIDECAR_OUTBOUND', 'GATEWAY'], {
      description: 'The traffic that the configuration is for: to the workload, from it, or through a gateway.',
      default: 'ANY',
    }),
    proxy: Type.Optional(
      Type.Object(
        {
          proxyVersion: Type.Optional(
            Type.String({
              description:
                'A regular expression in RE2 syntax, found anywhere in the version: node metadata MESH_VERSION, or else the version of Envoy.',
              minLength: 1,
              maxLength: MAX_VERSION_EXPRESSION_LENGTH,
            }),
          ),
          metadata: Type.Optional(
            stringMap(Type.String({ maxLength: MAX_TEXT_LENGTH }), {
              description: 'Keys of node metadata and their values, which must be equal texts.',
              maxProperties: MAX_LABELS,
            }),
          ),
        },
        { additionalProperties: false, description: 'Proxies; all fields must match.' },
      ),
    ),
    listener: Type.Optional(listenerMatchSchema),
    routeConfiguration: Type.Optional(routeConfigurationMatchSchema),
    cluster: Type.Optional(clusterMatchSchema),
  },
  { additionalProperties: false, description: 'What is patched; absent: everything of its kind.' },
);

const patchSchema = Type.Object(
  {
    applyTo: Type.Enum([...APPLY_TO], { description: 'The part of the configuration that is patched.' }),
    match: Type.Optional(matchSchema),
    patch: Type.Object(
      {
        operation: Type.Enum([...PATCH_OPERATIONS], { description: 'What is done with the parts that match.' }),
        value: Type.Optional(
          // The message of Envoy has fields that no schema of ours lists; rules check it.
          Type.Unsafe<Readonly<Record<string, unknown>>>({
            type: 'object',
            additionalProperties: true,
            description: 'The message of Envoy that is merged or added, as YAML. REMOVE has none.',
          }),
        ),
      },
      { additionalProperties: false, description: 'The change.' },
    ),
  },
  { additionalProperties: false, description: 'A patch.' },
);

/**
 * `spec` of an EnvoyFilter (docs/reference/validation-rules.md#envoyfilter). Without a selector it applies to all
 * workloads of its namespace, in the root namespace to the whole mesh.
 */
export const envoyFilterSchema = Type.Object(
  {
    workloadSelector: Type.Optional(
      Type.Object(
        {
          labels: stringMap(Type.String({ maxLength: 63 }), {
            description: 'Labels. A workload must have all of them.',
            default: {},
            maxProperties: MAX_LABELS,
          }),
        },
        { additionalProperties: false, description: 'Selects workloads by label.' },
      ),
    ),
    configPatches: Type.Array(patchSchema, {
      description: 'Patches, applied in this order.',
      default: [],
      maxItems: MAX_PATCHES,
    }),
  },
  { additionalProperties: false, description: 'Patches of the configuration of Envoy.' },
);

export type EnvoyFilterSpec = Immutable<Static<typeof envoyFilterSchema>>;
export type EnvoyFilterPatch = EnvoyFilterSpec['configPatches'][number];
export type EnvoyFilterMatch = NonNullable<EnvoyFilterPatch['match']>;
export type ApplyTo = (typeof APPLY_TO)[number];
export type PatchOperation = (typeof PATCH_OPERATIONS)[number];
