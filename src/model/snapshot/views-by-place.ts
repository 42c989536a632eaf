import type { TrafficView, TrafficViewer } from '../traffic/traffic-view.js';

/** Proxies can invent any number of places. */
const MAX_PLACES = 1_024;

/**
 * Remembers the views of one snapshot without Sidecars by namespace and cluster: every type of every proxy asks for one.
 *
 * @param compose reads nothing else of the proxy
 */
export function viewsByPlace(compose: (proxy: TrafficViewer) => TrafficView): (proxy: TrafficViewer) => TrafficView {
  const known = new Map<string, Map<string | undefined, TrafficView>>();
  let places = 0;
  return (proxy) => {
    const { configNamespace, metadata } = proxy;
    let ofNamespace = known.get(configNamespace);
    const remembered = ofNamespace?.get(metadata.clusterId);
    if (remembered !== undefined) return remembered;
    const view = compose(proxy);
    if (places >= MAX_PLACES) {
      known.clear();
      ofNamespace = undefined;
      places = 0;
    }
    if (ofNamespace === undefined) {
      ofNamespace = new Map();
      known.set(configNamespace, ofNamespace);
    }
    ofNamespace.set(metadata.clusterId, view);
    places++;
    return view;
  };
}
