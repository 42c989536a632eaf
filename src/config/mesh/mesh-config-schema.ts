import type { Static } from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { Type } from '../schema/type.js';
import { policyFields } from './policy-config-schema.js';
import { proxyConfigSchema } from './proxy-config-schema.js';

const exportTo = (kind: string) =>
  Type.Array(Type.String(), {
    description: `Namespaces that see a ${kind} which does not say itself: *, . or names.`,
    default: ['*'],
  });

/** Settings of features that have not landed: read, so that they are known, and named in a warning. */
const unusedFields = {
  configSources: Type.Optional(Type.Array(Type.Unknown(), { description: 'Where configuration comes from.' })),
  certificates: Type.Optional(Type.Array(Type.Unknown(), { description: 'DNS certificates to make.' })),
  thriftConfig: Type.Optional(Type.Unknown({ description: 'Rate limiting of Thrift.' })),
};

export const UNUSED_MESH_CONFIG_FIELDS: readonly string[] = Object.keys(unusedFields);

/**
 * The mesh config file (BEHAVIOUR 8, "Mesh config defaults"). Durations are texts in Go's syntax. Every field
 * may be left out.
 */
export const meshConfigSchema = Type.Object({
  proxyListenPort: Type.Integer({
    description: 'Port of the outbound listener.',
    minimum: 1,
    maximum: 65535,
    default: 15001,
  }),
  proxyHttpPort: Type.Integer({
    description: 'Port of an explicit HTTP forward proxy in each sidecar; 0 for none.',
    minimum: 0,
    maximum: 65535,
    default: 0,
  }),
  connectTimeout: Type.String({ description: 'Time to connect to an upstream.', default: '10s' }),
  protocolDetectionTimeout: Type.String({
    description: 'Time to wait for the first bytes of a sniffed connection; 0s waits for ever.',
    default: '5s',
  }),
  ingressClass: Type.String({ description: 'Class of the Ingress objects that are served.', default: 'mesh' }),
  ingressService: Type.String({
    description: 'Service whose address Ingress objects get.',
    default: 'mesh-ingressgateway',
  }),
  ingressControllerMode: Type.Enum(['OFF', 'DEFAULT', 'STRICT'], {
    description: 'Which Ingress objects are served: none, also those without class, or those of the class alone.',
    default: 'STRICT',
  }),
  enableTracing: Type.Boolean({ description: 'Whether proxies trace requests.', default: true }),
  accessLogFile: Type.String({ description: 'File of the access log; empty for none.', default: '' }),
  accessLogFormat: Type.String({
    description: "Format of the access log: a text with %COMMANDS%, or a JSON object of such; empty for the proxy's.",
    default: '',
  }),
  accessLogEncoding: Type.Enum(['TEXT', 'JSON'], { description: 'Encoding of the access log.', default: 'TEXT' }),
  outboundTrafficPolicy: Type.Object(
    {
      mode: Type.Enum(['ALLOW_ANY', 'REGISTRY_ONLY'], {
        description: 'Whether traffic to hosts that are not in the mesh is let through.',
        default: 'ALLOW_ANY',
      }),
    },
    { default: {} },
  ),
  enableAutoMtls: Type.Boolean({ description: 'Whether mutual TLS is used where both sides can.', default: true }),
  trustDomain: Type.String({ description: 'Trust domain of identities.', default: 'cluster.local' }),
  trustDomainAliases: Type.Array(Type.String(), { description: 'Other names of the trust domain.', default: [] }),
  rootNamespace: Type.String({
    description: 'Namespace whose configuration holds for all.',
    default: 'mesh-system',
  }),
  serviceEntryScope: Type.Enum(['GUARDED', 'OWN_NAMESPACE', 'ALL_NAMESPACES'], {
    description:
      'Where ServiceEntries of a cluster act: as exported, but on their own namespace alone with hosts and addresses that are not theirs to give; on their own namespace alone; or as exported. Those of rootNamespace and of files act as exported always.',
    default: 'GUARDED',
  }),
  defaultServiceExportTo: exportTo('service'),
  defaultVirtualServiceExportTo: exportTo('VirtualService'),
  defaultDestinationRuleExportTo: exportTo('DestinationRule'),
  dnsRefreshRate: Type.String({ description: 'How often proxies look DNS names up again.', default: '5s' }),
  localityLbSetting: Type.Object(
    { enabled: Type.Boolean({ description: 'Whether near endpoints are preferred.', default: true }) },
    { default: {} },
  ),
  enablePrometheusMerge: Type.Boolean({
    description: "Whether the sidecar's and the application's metrics are merged.",
    default: true,
  }),
  h2UpgradePolicy: Type.Enum(['DO_NOT_UPGRADE', 'UPGRADE'], {
    description: 'Whether HTTP/1.1 is upgraded to HTTP/2 between sidecars.',
    default: 'DO_NOT_UPGRADE',
  }),
  inboundClusterStatName: Type.String({ description: 'Pattern of statistics names, inbound.', default: '' }),
  outboundClusterStatName: Type.String({ description: 'Pattern of statistics names, outbound.', default: '' }),
  serviceSettings: Type.Array(
    Type.Object({
      settings: Type.Object(
        {
          clusterLocal: Type.Boolean({
            description: "Whether the hosts are served by the proxy's own cluster alone.",
            default: false,
          }),
        },
        { default: {} },
      ),
      hosts: Type.Array(Type.String(), { description: 'Hosts; the first label may be *.', default: [] }),
    }),
    { description: 'Settings of groups of services.', default: [] },
  ),
  ...policyFields,
  defaultConfig: proxyConfigSchema,
  ...unusedFields,
});

export type MeshConfigFile = Immutable<Static<typeof meshConfigSchema>>;
