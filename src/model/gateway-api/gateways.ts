import { createHash } from 'node:crypto';
import type { ApiGatewaySpec } from '../../config/gateway-api/gateway.js';
import { API_GATEWAY } from '../../config/gateway-api/gateway-api-names.js';
import { keyOf, type MeshObject } from '../../config/object.js';
import { gatewaySecret } from '../gateways/credential-names.js';
import type { ListedGateway } from '../gateways/gateway-index.js';
import type { GatewayServer } from '../gateways/gateway-server.js';
import { compareText } from '../service-order.js';
import type { ParentGateway } from './attachments.js';
import { type ApiListener, readListeners } from './listeners.js';
import { type ObjectTables, objectsOf } from './objects-of.js';
import { type DefaultService, type Placement, placeGateway } from './placement.js';
import type { IsGranted } from './reference-grants.js';

/** A Gateway of this controller. */
export interface ApiGateway extends ParentGateway {
  /** `<namespace>/gateway-api/<name>`: no VirtualService can name it. */
  readonly id: string;
  readonly object: MeshObject<string, ApiGatewaySpec>;
  readonly placement: Placement;
}

export interface ApiGatewaySource {
  readonly objects: ObjectTables;
  /** Names of the GatewayClasses of this controller. */
  readonly classes: ReadonlySet<string>;
  readonly isGranted: IsGranted;
  readonly domain: string;
  readonly defaultService: DefaultService;
}

export function readApiGateways(source: ApiGatewaySource): readonly ApiGateway[] {
  const { objects, classes, isGranted, domain, defaultService } = source;
  return objectsOf<ApiGatewaySpec>(objects, API_GATEWAY)
    .filter(({ body }) => classes.has(body.gatewayClassName))
    .map((object) => {
      const { namespace, name } = object.metadata;
      return {
        key: keyOf(object),
        id: `${namespace}/gateway-api/${name}`,
        namespace,
        object,
        listeners: readListeners(object, isGranted),
        placement: placeGateway(object.body, objects, domain, defaultService),
      };
    });
}

/** The Gateway as routers serve it; undefined without a router or a listener. */
export function listGateway(gateway: ApiGateway): ListedGateway | undefined {
  const { id, namespace, object, placement } = gateway;
  const servers = gateway.listeners.filter(({ isServed }) => isServed).map((listener) => serverOf(gateway, listener));
  if (placement.type === 'none' || servers.length === 0) return undefined;
  const { creationTimestamp = '' } = object.metadata;
  const selector = Object.entries(placement.selector).sort(([first], [second]) => compareText(first, second));
  const content = JSON.stringify([id, creationTimestamp, placement.namespace, selector, servers]);
  return {
    ...{ id, namespace, author: namespace, servers, creationTimestamp, selector },
    key: createHash('sha256').update(content).digest('base64url'),
    workloadNamespace: placement.namespace,
  };
}

function serverOf({ id, key, namespace }: ApiGateway, listener: ApiListener): GatewayServer {
  const { index, spec, hostname, certificate } = listener;
  // Gateways of other namespaces share the host only where their routes could attach anyway.
  const sharing = spec.allowedRoutes.namespaces.from === 'All' ? '*' : namespace;
  return {
    gateway: id,
    author: namespace,
    isDerived: false,
    object: key,
    index,
    isListener: true,
    name: spec.name,
    port: spec.port,
    portName: spec.name,
    protocol: spec.protocol === 'HTTPS' ? 'https' : 'http',
    targetPort: undefined,
    bind: '',
    hosts: [{ namespace: sharing, host: hostname }],
    redirectsToHttps: false,
    tls:
      certificate === undefined
        ? undefined
        : {
            mode: 'own',
            certificate: { type: 'secret', name: gatewaySecret(certificate.namespace, certificate.name) },
            handshake: { lowest: '1.2', highest: '1.3', cipherSuites: [] },
          },
    defaultEndpoint: undefined,
  };
}
