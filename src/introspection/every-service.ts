import type { PushContext } from '../model/push-context.js';
import type { Service } from '../model/service.js';

/** All services, by host; where several namespaces claim a host, the mesh's own choice comes first. */
export function* everyService({ services, shadowedByHost }: PushContext): Generator<Service> {
  for (const service of services) {
    yield service;
    yield* shadowedByHost.get(service.hostname) ?? [];
  }
}
