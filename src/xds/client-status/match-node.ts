import type { Proxy } from '../../model/proxy.js';
import type { NodeMatcher, TextMatcher } from './client-status-request.js';

/** Whether one of the matchers means the proxy; without any, every proxy is meant. */
export function matchesNode(proxy: Proxy, matchers: readonly NodeMatcher[]): boolean {
  return (
    matchers.length === 0 ||
    matchers.some(
      ({ id, metadata }) =>
        (id === undefined || matchesText(proxy.id, id)) &&
        metadata.every(({ path, value }) => {
          const text = metadataOf(proxy, path);
          return text !== undefined && matchesText(text, value);
        }),
    )
  );
}

function matchesText(value: string, { form, text, ignoresCase }: TextMatcher): boolean {
  const [have, want] = ignoresCase ? [value.toLowerCase(), text.toLowerCase()] : [value, text];
  switch (form) {
    case 'exact':
      return have === want;
    case 'prefix':
      return have.startsWith(want);
    case 'suffix':
      return have.endsWith(want);
    case 'contains':
      return have.includes(want);
  }
}

/** The metadata that the server keeps of a node. */
function metadataOf({ configNamespace, metadata }: Proxy, path: readonly string[]): string | undefined {
  const [key = '', label] = path;
  if (key === 'LABELS' && path.length === 2) return label === undefined ? undefined : metadata.labels[label];
  if (path.length !== 1) return undefined;
  switch (key) {
    case 'NAMESPACE':
      return configNamespace;
    case 'SERVICE_ACCOUNT':
      return metadata.serviceAccount;
    case 'CLUSTER_ID':
      return metadata.clusterId;
    case 'NETWORK':
      return metadata.network;
    default:
      return undefined;
  }
}
