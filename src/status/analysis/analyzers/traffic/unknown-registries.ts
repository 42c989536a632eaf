import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { TrafficIndex } from '../../traffic/traffic-index.js';

/** Clusters that the mesh networks name in fromRegistry and that the mesh does not read. */
export function findUnknownRegistries({ networks, clusterOf }: TrafficIndex): readonly AnalysisMessage[] {
  return [...networks.networks].flatMap(([name, { endpoints }]) =>
    endpoints.flatMap((each, index) => {
      if (!('fromRegistry' in each) || clusterOf(each.fromRegistry) === each.fromRegistry) return [];
      const text = `networks.${name}.endpoints[${index}].fromRegistry of the mesh networks: there is no cluster ${each.fromRegistry}`;
      return [createMessage('unknownRegistry', {}, text)];
    }),
  );
}
