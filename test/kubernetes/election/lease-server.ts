import type { ApiAnswer, ApiRequest, SendRequest } from '../../../src/kubernetes/client/api-sender.js';

/** One Lease of an API server, without the network: optimistic locking as the real one does it. */
export interface LeaseServer {
  readonly send: SendRequest;
  /** Undefined before it was made. */
  readonly holder: string | undefined;
  readonly requests: readonly ApiRequest[];
  /** What the next requests get instead; undefined for the normal answers. `silence` never answers. */
  setFault(fault: ApiAnswer | Error | 'silence' | undefined): void;
  remove(): void;
}

interface StoredLease {
  readonly metadata: { readonly resourceVersion: string };
  readonly spec: { readonly holderIdentity: string };
}

export function createLeaseServer(): LeaseServer {
  const requests: ApiRequest[] = [];
  let lease: StoredLease | undefined;
  let fault: ApiAnswer | Error | 'silence' | undefined;
  let version = 0;

  const store = (body: unknown): ApiAnswer => {
    const written = body as StoredLease;
    version += 1;
    lease = { ...written, metadata: { ...written.metadata, resourceVersion: String(version) } };
    return answer(200, lease);
  };

  const send: SendRequest = async (request) => {
    requests.push(request);
    if (fault === 'silence') return await new Promise(() => undefined);
    if (fault instanceof Error) throw fault;
    if (fault !== undefined) return fault;
    switch (request.method) {
      case 'GET':
        return lease === undefined ? answer(404) : answer(200, lease);
      case 'POST':
        return lease === undefined ? store(request.body) : answer(409);
      default: {
        if (lease === undefined) return answer(404);
        const { resourceVersion } = (request.body as StoredLease).metadata;
        return resourceVersion === lease.metadata.resourceVersion ? store(request.body) : answer(409);
      }
    }
  };

  return {
    send,
    requests,
    get holder() {
      return lease?.spec.holderIdentity;
    },
    setFault: (next) => {
      fault = next;
    },
    remove: () => {
      lease = undefined;
    },
  };
}

export function answer(status: number, body: unknown = {}): ApiAnswer {
  return { status, body, retryAfterMs: undefined };
}
