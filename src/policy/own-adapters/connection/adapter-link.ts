import { createBackoff } from '../../../base/backoff.js';
import type { Clock } from '../../../base/clock.js';
import { errorText } from '../../../base/error-text.js';
import { AdapterError } from '../adapter-error.js';
import { type AdapterChannel, type ChannelState, openAdapterChannel } from './adapter-channel.js';
import type { TokenHeader } from './call-tokens.js';
import type { ChannelMaterial } from './channel-material.js';
import { createCircuitBreaker } from './circuit-breaker.js';

/** The way to an adapter: it connects at once, and again whenever the connection, the addresses or credentials change. */
export interface AdapterLink {
  /**
   * Calls a method. Fails at once while there is no connection, and while the adapter does not answer.
   *
   * @throws AdapterError without an answer
   */
  call(method: string, request: Buffer, timeoutMs: number): Promise<Buffer>;
  /** Rises with each new connection. An adapter that was restarted has another one. */
  generation(): number;
  isReady(): boolean;
  close(): void;
}

/** What is looked up for a connection. */
export interface LinkTarget {
  /** Targets of gRPC, of which each is enough. */
  readonly targets: readonly string[];
  readonly material: ChannelMaterial;
}

export interface AdapterLinkOptions {
  /** `host:port` of the connection. */
  readonly address: string;
  /** Looks up addresses and reads files. @throws Error for those that cannot be used */
  readonly look: () => Promise<LinkTarget>;
  /** The header of calls; undefined for calls without a token. @throws Error without a token */
  readonly header: () => TokenHeader | undefined | Promise<TokenHeader | undefined>;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Called when connections become possible or impossible, with the reason if it is known. */
  readonly onState: (isReady: boolean, reason: unknown) => void;
}

/** Time after which addresses and files are looked up again. */
const LOOK_MS = 10_000;
const FIRST_RETRY_MS = 100;

export function createAdapterLink(options: AdapterLinkOptions): AdapterLink {
  const { address, look, header, clock, random, onState } = options;
  const backoff = createBackoff({ initialMs: FIRST_RETRY_MS, maxMs: LOOK_MS, random });
  const breaker = createCircuitBreaker(clock, random);
  let channel: AdapterChannel | undefined;
  let opened = '';
  let state: ChannelState = 'connecting';
  let failure: Error | undefined;
  let generation = 0;
  /** Turns among the families of addresses. */
  let turn = 0;
  let looking: Promise<void> | undefined;
  let cancelTimer = (): void => undefined;
  let isClosed = false;
  let wasReady: boolean | undefined;

  const told = (isReady: boolean, reason?: unknown): void => {
    if (wasReady !== isReady) onState(isReady, reason);
    wasReady = isReady;
  };
  const changed = (next: ChannelState): void => {
    if (next === 'ready' && state !== 'ready') generation++;
    const isNewFailure = next === 'failed' && state !== 'failed';
    state = next;
    if (next === 'ready') {
      backoff.reset();
      breaker.reconnected();
      told(true);
    } else if (isNewFailure) {
      told(false, failure);
      // Its addresses may be others now.
      turn++;
      lookAfter(backoff.nextMs());
    }
  };
  const open = ({ targets, material }: LinkTarget): void => {
    const target = targets[turn % targets.length] ?? '';
    const wanted = `${target} ${material.version}`;
    failure = undefined;
    if (channel !== undefined && opened === wanted) return;
    channel?.close();
    opened = wanted;
    state = 'connecting';
    channel = openAdapterChannel(target, address, material, changed);
  };
  const lookNow = (): Promise<void> => {
    looking ??= look()
      .then(
        (target) => {
          if (isClosed) return;
          open(target);
          lookAfter(LOOK_MS);
        },
        (error: unknown) => {
          failure = error instanceof Error ? error : new Error(errorText(error));
          // A connection that works stays.
          if (state !== 'ready') told(false, failure);
          lookAfter(backoff.nextMs());
        },
      )
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };
  const lookAfter = (delayMs: number): void => {
    cancelTimer();
    if (!isClosed) cancelTimer = clock.schedule(delayMs, () => void lookNow());
  };
  const reopen = (): void => {
    opened = '';
    void lookNow();
  };
  void lookNow();

  const openChannel = async (): Promise<AdapterChannel> => {
    // Only calls that come before the first look wait for it.
    if (channel === undefined && failure === undefined) await looking;
    if (channel !== undefined) return channel;
    const reason = failure === undefined ? '' : `: ${failure.message}`;
    throw new AdapterError('UNAVAILABLE', `there is no connection to ${address}${reason}`);
  };

  return {
    call: async (method, request, timeoutMs) => {
      if (!breaker.admits()) throw new AdapterError('UNAVAILABLE', `${address} does not answer`);
      const used = channel ?? (await openChannel());
      const shown = await headerOf(header);
      try {
        const answer = await used.call(method, request, timeoutMs, shown);
        breaker.answered();
        return answer;
      } catch (error) {
        if (!(error instanceof AdapterError)) throw error;
        if (error.code === 'DEADLINE_EXCEEDED') {
          // The connection may be dead without an end.
          if (breaker.missed() && used === channel) reopen();
        } else if (error.code !== 'UNAVAILABLE') breaker.answered();
        throw error;
      }
    },
    generation: () => generation,
    isReady: () => state === 'ready',
    close: () => {
      isClosed = true;
      cancelTimer();
      channel?.close();
    },
  };
}

async function headerOf(header: AdapterLinkOptions['header']): Promise<TokenHeader | undefined> {
  try {
    return await header();
  } catch (cause) {
    throw new AdapterError('UNAUTHENTICATED', `there is no token for the adapter: ${errorText(cause)}`, { cause });
  }
}
