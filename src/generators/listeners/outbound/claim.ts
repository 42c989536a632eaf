import type { Port, Service } from '../../../model/service.js';
import type { TrafficClass } from '../../traffic-class.js';

/** One port of a service that wants connections to some address. */
export interface Claim {
  readonly service: Service;
  readonly port: Port;
  readonly traffic: Exclude<TrafficClass, 'none'>;
  /** Name of the listener: `<address>_<port>`. */
  readonly listener: string;
  /** The address of the listener. */
  readonly bind: string;
  /** Whether other services share that address: wildcard and loopback listeners. */
  readonly shared: boolean;
  /** Only connections to this range of a shared listener; empty for all of them. */
  readonly range: string;
}
