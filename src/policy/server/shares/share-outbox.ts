import { type BucketAction, bucketKeyOf } from '../../quota/shares/bucket-action.js';

/**
 * Actions that wait to be sent to one proxy, the newest one for each bucket: however slowly a proxy reads, no more wait than
 * it has buckets.
 */
export interface ShareOutbox {
  push(action: BucketAction): void;
  /** Settles when the proxy can take more. */
  ready(): Promise<void>;
  /** The proxy can take more. */
  resume(): void;
}

export interface ShareOutboxOptions {
  /** @returns whether the proxy can take more; otherwise `resume` is called later */
  readonly send: (actions: readonly BucketAction[]) => boolean;
  /** Settles after other work had its turn. */
  readonly yieldTurn: () => Promise<void>;
}

export function createShareOutbox({ send, yieldTurn }: ShareOutboxOptions): ShareOutbox {
  const waiting = new Map<string, BucketAction>();
  let isFlushing = false;
  let blocked: { readonly promise: Promise<void>; readonly end: () => void } | undefined;

  const flush = (): void => {
    isFlushing = false;
    if (blocked !== undefined || waiting.size === 0) return;
    const actions = [...waiting.values()];
    waiting.clear();
    if (!send(actions)) blocked = createGate();
  };
  const schedule = (): void => {
    if (isFlushing || blocked !== undefined) return;
    isFlushing = true;
    void yieldTurn().then(flush);
  };
  return {
    push: (action) => {
      const key = bucketKeyOf(action.id);
      waiting.set(key, merged(waiting.get(key), action));
      schedule();
    },
    ready: async () => blocked?.promise,
    resume: () => {
      blocked?.end();
      blocked = undefined;
      if (waiting.size > 0) schedule();
    },
  };
}

function createGate(): { readonly promise: Promise<void>; readonly end: () => void } {
  let end = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { promise, end };
}

/** The newer action. A bucket that was to be filled is still to be. */
function merged(earlier: BucketAction | undefined, action: BucketAction): BucketAction {
  const was = assignedTokens(earlier);
  const is = assignedTokens(action);
  if (was?.isFull !== true || is === undefined || is.isFull) return action;
  return { ...action, type: 'assign', assignment: { ...is, isFull: true } };
}

function assignedTokens(action: BucketAction | undefined) {
  if (action?.type !== 'assign') return undefined;
  const { assignment } = action;
  return assignment.type === 'tokens' ? assignment : undefined;
}
