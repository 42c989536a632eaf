import { traitsOf } from '../../config/kind-traits.js';
import type { ObjectKey } from '../../config/object.js';
import type { PushReason, PushRequest } from '../push-request.js';
import type { DirectoryChange } from './service-directory.js';

/** Collects the objects that one step touched, and makes a push request of them. */
export class ChangeLog {
  readonly #changed = new Set<ObjectKey>();
  #configs = 0;
  #full = false;
  #fastQuotas = false;

  /** An object was set or deleted. */
  note(kind: string, key: ObjectKey): void {
    const { effect, origin } = traitsOf(kind);
    if (effect !== 'workload') this.#changed.add(key);
    if (effect === 'config') this.#full = true;
    if (origin === 'mesh') this.#configs++;
  }

  /** The keys of an object, which are kept elsewhere, changed, and the object itself did not. */
  noteKeys(key: ObjectKey): void {
    this.#changed.add(key);
    this.#full = true;
  }

  /** A noted Namespace allows other bindings than before. */
  noteGrants(): void {
    this.#full = true;
  }

  /** Quotas that proxies enforce themselves may have changed. */
  noteFastQuotas(): void {
    this.#fastQuotas = true;
    this.#full = true;
  }

  result(change: DirectoryChange): StoreChange {
    const { endpoints, addresses } = change;
    const updates = { config: this.#configs, eds: change.eds, svc: change.svc, svcdelete: change.svcdelete };
    const changed = new Set([...this.#changed, ...change.sources]);
    const isNothing = changed.size === 0 && endpoints.size === 0 && addresses.size === 0 && !this.#fastQuotas;
    if (isNothing) return { push: undefined, updates };
    const full = this.#full || change.full;
    const reasons = this.#reasons(change, full);
    const push = {
      full,
      changed,
      endpoints,
      addresses,
      reasons,
      ...(this.#fastQuotas && { fastQuotas: true as const }),
    };
    return { push, updates };
  }

  /** The mesh config or the networks changed; no object names that. */
  everything(change: DirectoryChange): StoreChange {
    const { endpoints, addresses, eds, svc, svcdelete } = change;
    return {
      push: { full: true, changed: 'everything', endpoints, addresses, reasons: ['global'] },
      updates: { config: 0, eds, svc, svcdelete },
    };
  }

  #reasons(change: DirectoryChange, full: boolean): readonly PushReason[] {
    const reasons: PushReason[] = [];
    if (change.sources.size > 0) reasons.push('service');
    else if (change.endpoints.size > 0) reasons.push('endpoint');
    if (this.#full) reasons.push('config');
    if (!full && change.addresses.size > 0) reasons.push('proxy');
    // No resource depends on it, but tracking needs the new version of the object.
    if (reasons.length === 0) reasons.push('config');
    return reasons;
  }
}

/** A push request without its start, which only the clock of the caller knows. */
export type PushChange = Omit<PushRequest, 'startMs'>;

/** The effect of one step on the stores. */
export interface StoreChange {
  /** Undefined when no resource can have changed. */
  readonly push: PushChange | undefined;
  readonly updates: InboundUpdates;
}

/** Increments of nav_inbound_updates, by its label `type` (docs/reference/metrics.md#pushes-and-xds). */
export interface InboundUpdates {
  readonly config: number;
  readonly eds: number;
  readonly svc: number;
  readonly svcdelete: number;
}
