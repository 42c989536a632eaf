import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../attack.js';
import { connectTo, Endings, openAds } from '../discovery-call.js';

const PER_SECOND = 1_000;
const DURATION_MS = 8_000;
const TICK_MS = 50;
const STREAMS_PER_CONNECTION = 1_500;

/** Streams that are opened and never send a request, more on a connection than it may have. */
export const attack: Attack = {
  title: `${PER_SECOND} streams a second that send no request`,
  durationMs: DURATION_MS,
  async run(target, scale, signal) {
    const endings = new Endings();
    const listeners = ['plaintext', 'secured'] as const;
    let sessions = listeners.map((listener) => connectTo(target, listener));
    const untilMs = performance.now() + DURATION_MS;
    let opened = 0;
    while (performance.now() < untilMs && !signal.aborted) {
      for (let count = 0; count < (PER_SECOND * scale * TICK_MS) / 1_000; count++) {
        if (sessions.some(({ destroyed }) => destroyed) || opened % (2 * STREAMS_PER_CONNECTION) === 0) {
          sessions = listeners.map((listener) => connectTo(target, listener));
        }
        const session = sessions[opened % sessions.length];
        if (session !== undefined) openAds(session, endings);
        opened++;
      }
      await delay(TICK_MS, undefined, { signal }).catch(() => undefined);
    }
    return `${opened} streams; ${endings}`;
  },
};
