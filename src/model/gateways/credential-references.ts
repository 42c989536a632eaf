import { appendTo } from '../../base/append-to.js';
import type { MeshObject, ObjectKey } from '../../config/object.js';
import { memoize } from '../memo.js';
import type { Proxy } from '../proxy.js';
import type { PushContext } from '../push-context.js';
import { labelsOf } from '../security/mutual-tls.js';
import { type AskedCredential, credentialSecret, gatewaySecret } from './credential-names.js';
import { type GatewayServer, serverField } from './gateway-server.js';
import type { ServerTls } from './server-tls.js';

type ObjectTable = ReadonlyMap<ObjectKey, MeshObject>;

/** A field that makes a router need a credential. */
export interface CredentialUser {
  readonly object: ObjectKey;
  /** Path in the object. */
  readonly field: string;
}

/**
 * The fields that make a router need a credential: of Gateways that select it, and of DestinationRules. Without any, the
 * secret is not served to it, so an identity of the namespace does not give access to all secrets there.
 */
export function usersOfCredential(
  context: Pick<PushContext, 'gateways' | 'objects'>,
  proxy: Proxy,
  { credentialName, namespace: secretNamespace }: Pick<AskedCredential, 'credentialName' | 'namespace'>,
): readonly CredentialUser[] {
  if (proxy.type !== 'router') return [];
  const { configNamespace: namespace } = proxy;
  const router = { namespace, labels: labelsOf(context, proxy), onlyOwnNamespace: false };
  const secret =
    secretNamespace === undefined ? credentialSecret(credentialName) : gatewaySecret(secretNamespace, credentialName);
  const servers = context.gateways.of(router).gateways.flatMap((gateway) => gateway.servers);
  const ofGateways = servers
    .filter((server) => certificateSecretOf(server.tls) === secret && mayServe(server, namespace))
    .map((server) => ({
      object: server.object,
      field: `${serverField(server)}.tls.${server.isListener === true ? 'certificateRefs[0]' : 'credentialName'}`,
    }));
  if (secretNamespace !== undefined) return ofGateways;
  const rules = context.objects.get('DestinationRule');
  return rules === undefined ? ofGateways : [...ofGateways, ...(usersInRules(rules).get(credentialName) ?? [])];
}

/**
 * Gateways that are made from Ingresses name secrets of the namespace of the Ingress. Only routers of the namespace of the
 * Gateway, which the operator chooses (ORCH_INGRESS_NS), get these: every tenant can give a pod the labels of a gateway.
 */
function mayServe({ gateway, isDerived }: GatewayServer, namespace: string): boolean {
  return !isDerived || gateway.startsWith(`${namespace}/`);
}

function certificateSecretOf(tls: ServerTls | undefined): string | undefined {
  return tls?.mode === 'own' && tls.certificate.type === 'secret' ? tls.certificate.name : undefined;
}

const usersInRules = memoize((rules: ObjectTable): ReadonlyMap<string, readonly CredentialUser[]> => {
  const users = new Map<string, CredentialUser[]>();
  const visit = (value: unknown, path: string, object: ObjectKey): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value) as [string, unknown][]) {
      const field = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`;
      if (key !== 'credentialName' || typeof item !== 'string') {
        visit(item, field, object);
        continue;
      }
      appendTo(users, item, { object, field });
    }
  };
  for (const [object, { body }] of rules) visit(body, 'spec', object);
  return users;
});
