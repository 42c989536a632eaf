import type { PushRequest } from '../push-request.js';

/** A push request without its start, which only the caller's clock knows. */
export type PushChange = Omit<PushRequest, 'startMs'>;

/** What one step did to the stores. */
export interface StoreChange {
  /** Undefined when nothing changed that a proxy could be served. */
  readonly push: PushChange | undefined;
  readonly updates: InboundUpdates;
}

/** Increments of nav_inbound_updates, by its label `type` (BEHAVIOUR 1). */
export interface InboundUpdates {
  readonly config: number;
  readonly eds: number;
  readonly svc: number;
  readonly svcdelete: number;
}
