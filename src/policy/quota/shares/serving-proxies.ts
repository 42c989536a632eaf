/** The proxies that have buckets of a service. */
export interface ServingProxies {
  /** A proxy has one bucket more, or one less. */
  change(service: string, proxy: object, difference: 1 | -1): void;
  count(service: string): number;
}

export function createServingProxies(): ServingProxies {
  const buckets = new Map<string, Map<object, number>>();
  return {
    change: (service, proxy, difference) => {
      const ofService = buckets.get(service) ?? new Map<object, number>();
      const count = (ofService.get(proxy) ?? 0) + difference;
      if (count > 0) ofService.set(proxy, count);
      else ofService.delete(proxy);
      if (ofService.size > 0) buckets.set(service, ofService);
      else buckets.delete(service);
    },
    count: (service) => buckets.get(service)?.size ?? 0,
  };
}
