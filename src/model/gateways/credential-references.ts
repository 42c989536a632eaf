import type { MeshObject, ObjectKey } from '../../config/object.js';
import { memoize } from '../memo.js';
import type { Proxy } from '../proxy.js';
import type { PushContext } from '../push-context.js';
import { labelsOf } from '../security/mutual-tls.js';
import { credentialSecret } from './credential-names.js';
import type { ServerTls } from './server-tls.js';

type ObjectTable = ReadonlyMap<ObjectKey, MeshObject>;

/**
 * Whether a router needs a credential: a Gateway that selects it names it, or a DestinationRule does. Other secrets of
 * its namespace are not served to it, so an identity of the namespace does not give access to all of them.
 */
export function usesCredential(
  context: Pick<PushContext, 'gateways' | 'objects'>,
  proxy: Proxy,
  credentialName: string,
): boolean {
  if (proxy.type !== 'router') return false;
  const { configNamespace: namespace } = proxy;
  const router = { namespace, labels: labelsOf(context, proxy), onlyOwnNamespace: false };
  const secret = credentialSecret(credentialName);
  const isNamed = context.gateways
    .of(router)
    .gateways.some(({ servers }) => servers.some(({ tls }) => certificateSecretOf(tls) === secret));
  if (isNamed) return true;
  const rules = context.objects.get('DestinationRule');
  return rules !== undefined && namesInRules(rules).has(credentialName);
}

function certificateSecretOf(tls: ServerTls | undefined): string | undefined {
  return tls?.mode === 'own' && tls.certificate.type === 'secret' ? tls.certificate.name : undefined;
}

const namesInRules = memoize((rules: ObjectTable): ReadonlySet<string> => {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value) as [string, unknown][]) {
      if (key === 'credentialName' && typeof item === 'string') names.add(item);
      else visit(item);
    }
  };
  for (const { body } of rules.values()) visit(body);
  return names;
});
