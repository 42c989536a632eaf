import type { Service } from '../service.js';

/** A named part of a service's endpoints: those whose workloads carry the labels. */
export interface Subset {
  /** Unique within its host; empty only for the whole service. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** All endpoints of a service. */
export const WHOLE_SERVICE: Subset = { name: '', labels: {} };

/** A port of a service, or of a subset of it. */
export interface Destination {
  readonly hostname: string;
  readonly port: number;
  readonly subset: Subset;
}

/** A port of a service, with all of its endpoints. */
export function destinationOf({ hostname }: Pick<Service, 'hostname'>, port: number): Destination {
  return { hostname, port, subset: WHOLE_SERVICE };
}
