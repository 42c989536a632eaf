import { setTimeout as delay } from 'node:timers/promises';
import { TypeUrl } from '../../../../src/envoy/type-urls.js';
import type { Attack } from '../attack.js';
import { connectTo, Endings, nodeId, openAds, requestFrame } from '../discovery-call.js';

const STREAMS = 50;
/** More than one request may name, and as many as it may. */
const NAMES = [600_000, 99_000] as const;
const DURATION_MS = 10_000;

/** Short names, so that as many as possible fit into a message of 4 MiB. */
function* names(count: number, stream: number): Iterable<string> {
  for (let index = 0; index < count; index++) yield `${stream.toString(36)}${index.toString(36)}`;
}

/** Half of the streams name 600,000 resources that do not exist, the others just as many as the limit allows. */
export const attack: Attack = {
  title: `${STREAMS} streams that name ${NAMES[0]} and ${NAMES[1]} resources that do not exist`,
  durationMs: DURATION_MS,
  async run(target, scale, signal) {
    const endings = new Endings();
    let received = 0;
    const sessions = (['plaintext', 'secured'] as const).map((listener) => connectTo(target, listener));
    for (let index = 0; index < STREAMS * scale && !signal.aborted; index++) {
      const session = sessions[index % sessions.length];
      if (session === undefined || session.destroyed) continue;
      const call = openAds(session, endings);
      call.on('data', (chunk: Buffer) => {
        received += chunk.length;
      });
      const count = NAMES[(index >> 1) % NAMES.length] ?? 0;
      call.write(requestFrame({ node: nodeId(`pod-${index}`), typeUrl: TypeUrl.endpoint, names: names(count, index) }));
      await delay(DURATION_MS / (STREAMS * scale) / 2, undefined, { signal }).catch(() => undefined);
    }
    await delay(DURATION_MS / 2, undefined, { signal }).catch(() => undefined);
    for (const session of sessions) session.destroy();
    return `${STREAMS * scale} streams, ${received} bytes received; ${endings}`;
  },
};
