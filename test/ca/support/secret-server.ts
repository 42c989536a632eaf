import type { ApiAnswer, ApiRequest, SendRequest } from '../../../src/kubernetes/client/api-sender.js';

interface StoredSecret {
  readonly metadata: { readonly resourceVersion: string };
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

/** One secret of an API server, without the network: optimistic locking as the real one does it. */
export interface SecretServer {
  readonly send: SendRequest;
  readonly requests: readonly ApiRequest[];
  /** Undefined when there is none. */
  readonly secret: StoredSecret | undefined;
  /** Decoded value of a key. */
  text(key: string): string;
  /** Runs before the next request of this method is answered, once. */
  before(method: ApiRequest['method'], action: () => Promise<void> | void): void;
  /** What requests get instead; undefined for the normal answers. */
  setFault(fault: ApiAnswer | Error | undefined): void;
  put(data: Readonly<Record<string, string>>): void;
  remove(): void;
}

export function createSecretServer(): SecretServer {
  const requests: ApiRequest[] = [];
  const actions = new Map<string, () => Promise<void> | void>();
  let secret: StoredSecret | undefined;
  let fault: ApiAnswer | Error | undefined;
  let version = 0;

  const store = (type: string, data: Readonly<Record<string, string>>): ApiAnswer => {
    version += 1;
    secret = { type, data, metadata: { resourceVersion: String(version) } };
    return answer(200, secret);
  };

  const send: SendRequest = async (request) => {
    requests.push(request);
    const action = actions.get(request.method);
    actions.delete(request.method);
    await action?.();
    if (fault instanceof Error) throw fault;
    if (fault !== undefined) return fault;
    const body = request.body as StoredSecret | undefined;
    switch (request.method) {
      case 'GET':
        return secret === undefined ? answer(404) : answer(200, secret);
      case 'POST':
        return secret === undefined ? store(body?.type ?? '', body?.data ?? {}) : answer(409);
      default:
        if (secret === undefined) return answer(404);
        if (body?.metadata.resourceVersion !== secret.metadata.resourceVersion) return answer(409);
        return store(secret.type, { ...secret.data, ...body.data });
    }
  };

  return {
    send,
    requests,
    get secret() {
      return secret;
    },
    text: (key) => Buffer.from(secret?.data[key] ?? '', 'base64').toString('utf8'),
    before: (method, action) => actions.set(method, action),
    setFault: (next) => {
      fault = next;
    },
    put: (data) => {
      const entries = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
      store('Opaque', Object.fromEntries(entries));
    },
    remove: () => {
      secret = undefined;
    },
  };
}

export function answer(status: number, body: unknown = {}): ApiAnswer {
  return { status, body, retryAfterMs: undefined };
}
