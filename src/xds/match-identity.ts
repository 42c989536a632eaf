import type { Proxy } from '../model/proxy.js';
import { formatSpiffeId, type WorkloadIdentity } from '../model/spiffe-id.js';
import { StreamError } from './stream-error.js';

/**
 * Finds the proven identity that the node claims (docs/reference/xds.md#authentication): it must have the node's
 * namespace, and the node's service account if the node names one. The namespace in the node's id must be the same:
 * another one is a sign of a stolen node.
 *
 * @param identities one or more
 * @throws StreamError PERMISSION_DENIED
 */
export function matchIdentity(proxy: Proxy, identities: readonly WorkloadIdentity[]): WorkloadIdentity {
  const { configNamespace, metadata } = proxy;
  const { serviceAccount } = metadata;
  const idNamespace = namespaceOfId(proxy.id) ?? configNamespace;
  const match = identities.find(
    (identity) =>
      identity.namespace === configNamespace &&
      identity.namespace === idNamespace &&
      (serviceAccount === undefined || serviceAccount === identity.serviceAccount),
  );
  if (match !== undefined) return match;
  const namespace = idNamespace === configNamespace ? configNamespace : `${configNamespace} (node ID: ${idNamespace})`;
  const claimed = `namespace ${namespace}${serviceAccount === undefined ? '' : `, service account ${serviceAccount}`}`;
  const proven = identities.map(formatSpiffeId).join(', ');
  throw new StreamError(
    'PERMISSION_DENIED',
    `authorization failed: the node claims ${claimed}; the caller is ${proven}`.slice(0, MAX_MESSAGE_LENGTH),
  );
}

const MAX_MESSAGE_LENGTH = 1024;

/** Of `<type>~<ip>~<name.ns>~<domain>`; undefined when the name has none. */
function namespaceOfId(id: string): string | undefined {
  const fullName = id.split('~')[2] ?? '';
  const dot = fullName.lastIndexOf('.');
  return dot === -1 ? undefined : fullName.slice(dot + 1);
}
