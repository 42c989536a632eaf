import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';

/**
 * `defaultConfig` of the mesh config file: the settings with which proxies start
 * (docs/reference/mesh-config.md#proxy-config).
 */
export const proxyConfigSchema = Type.Object(
  {
    configPath: Type.String({ description: "Folder of the proxy's own files.", default: './etc/mesh/proxy' }),
    serviceCluster: Type.String({ description: 'Service cluster name of the proxy.', default: 'mesh-proxy' }),
    drainDuration: Type.String({ description: 'Time to drain connections on a restart.', default: '45s' }),
    parentShutdownDuration: Type.String({
      description: 'Time until the old process ends on a restart; must be longer than drainDuration.',
      default: '60s',
    }),
    terminationDrainDuration: Type.String({
      description: 'Time to drain connections before the proxy ends.',
      default: '5s',
    }),
    proxyAdminPort: Type.Integer({
      description: "Port of the proxy's admin page.",
      minimum: 0,
      maximum: 65535,
      default: 15000,
    }),
    concurrency: Type.Integer({ description: 'Worker threads; 0 means one per core.', minimum: 0, default: 2 }),
    controlPlaneAuthPolicy: Type.Enum(['NONE', 'MUTUAL_TLS'], {
      description: 'How proxies authenticate to the control plane.',
      default: 'MUTUAL_TLS',
    }),
    discoveryAddress: Type.String({
      description: 'host:port of the control plane.',
      default: 'meshd.mesh-system.svc:15012',
    }),
    tracing: Type.Object(
      {
        zipkin: Type.Object(
          {
            address: Type.String({
              description: 'host:port of the collector; empty: no tracing.',
              default: 'zipkin.mesh-system:9411',
            }),
          },
          { default: {} },
        ),
      },
      { default: {} },
    ),
    statNameLength: Type.Integer({ description: 'Maximum length of a statistics name.', minimum: 1, default: 189 }),
    statusPort: Type.Integer({ description: 'Port of the health page.', minimum: 0, maximum: 65535, default: 15020 }),
  },
  { description: 'Settings with which proxies start.', default: {} },
);

/** A ProxyConfig in the form of a file. */
export type ProxyConfigFile = Immutable<Static<typeof proxyConfigSchema>>;
