import type { HttpRequestFacts } from '../client/http-attributes.js';

/** A request that a proxy asks about, however the question came. */
export interface CheckedRequest {
  /** Its headers are without those between proxies. */
  readonly facts: HttpRequestFacts;
  /** Host of the service of its route; undefined on a chain that serves one service alone. */
  readonly routeService: string | undefined;
  /** The header x-mesh-attributes. */
  readonly forwarded: string | undefined;
  /** The header x-mesh-charge-receipt. */
  readonly receipt: string | undefined;
  /** Equal for all attempts at this Check, different for all others; undefined when the question has no id. */
  readonly id: string | undefined;
}
