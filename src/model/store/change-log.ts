import { traitsOf } from '../../config/kind-traits.js';
import type { ObjectKey } from '../../config/object.js';
import type { PushReason, PushRequest } from '../push-request.js';
import type { DirectoryChange } from './service-directory.js';

/** Collects which objects one step touched, and makes the push request of it. */
export class ChangeLog {
  readonly #changed = new Set<ObjectKey>();
  #configs = 0;
  #full = false;

  /** An object was set or deleted. */
  note(kind: string, key: ObjectKey): void {
    const { effect, origin } = traitsOf(kind);
    if (effect !== 'workload') this.#changed.add(key);
    if (effect === 'config') this.#full = true;
    if (origin === 'mesh') this.#configs++;
  }

  /** A noted Namespace lets other bindings act on it than before. */
  noteGrants(): void {
    this.#full = true;
  }

  result(change: DirectoryChange): StoreChange {
    const { endpoints, addresses } = change;
    const updates = { config: this.#configs, eds: change.eds, svc: change.svc, svcdelete: change.svcdelete };
    const changed = new Set([...this.#changed, ...change.sources]);
    if (changed.size === 0 && endpoints.size === 0 && addresses.size === 0) return { push: undefined, updates };
    const full = this.#full || change.full;
    return { push: { full, changed, endpoints, addresses, reasons: this.#reasons(change, full) }, updates };
  }

  /** The mesh config or the networks changed, which no object names. */
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
    // Nothing that a proxy is served, but the object's version is news to whoever tracks it.
    if (reasons.length === 0) reasons.push('config');
    return reasons;
  }
}

/** A push request without its start, which only the caller's clock knows. */
export type PushChange = Omit<PushRequest, 'startMs'>;

/** What one step did to the stores. */
export interface StoreChange {
  /** Undefined when nothing changed that a proxy could be served. */
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
