import { appendTo } from '../base/append-to.js';
import { memoize } from '../model/memo.js';
import type { ServiceView } from '../model/push-context.js';
import type { Port, Service } from '../model/service.js';

export interface ServicePort {
  readonly service: Service;
  readonly port: Port;
}

/** The services of a view by host and by port; the lists keep the order of the view. */
export interface ViewIndex {
  readonly byHost: ReadonlyMap<string, Service>;
  /** Ports of all protocols, by number. */
  readonly byPort: ReadonlyMap<number, readonly ServicePort[]>;
}

/** Indexes each view once, for as long as it lives. */
export function createViewIndexer(): (view: ServiceView) => ViewIndex {
  return memoize(indexView);
}

function indexView(view: ServiceView): ViewIndex {
  const byHost = new Map<string, Service>();
  const byPort = new Map<number, ServicePort[]>();
  for (const service of view.services) {
    byHost.set(service.hostname, service);
    for (const port of service.ports) {
      appendTo(byPort, port.number, { service, port });
    }
  }
  return { byHost, byPort };
}
