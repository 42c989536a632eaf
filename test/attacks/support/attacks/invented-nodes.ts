import { setTimeout as delay } from 'node:timers/promises';
import { TypeUrl } from '../../../../src/envoy/type-urls.js';
import type { Attack } from '../attack.js';
import { connectTo, Endings, openAds, requestFrame } from '../discovery-call.js';

const PER_SECOND = 200;
const DURATION_MS = 8_000;
const TICK_MS = 50;
const STREAMS_PER_CONNECTION = 500;

/** Each stream says that it is another proxy, elsewhere, in another version, with other networks and labels. */
export const attack: Attack = {
  title: `${PER_SECOND} streams a second with invented nodes`,
  durationMs: DURATION_MS,
  async run(target, scale, signal) {
    const endings = new Endings();
    let session = connectTo(target, 'plaintext');
    const untilMs = performance.now() + DURATION_MS;
    let opened = 0;
    while (performance.now() < untilMs && !signal.aborted) {
      for (let count = 0; count < (PER_SECOND * scale * TICK_MS) / 1_000; count++) {
        if (session.destroyed || opened % STREAMS_PER_CONNECTION === STREAMS_PER_CONNECTION - 1) {
          session = connectTo(target, 'plaintext');
        }
        const call = openAds(session, endings);
        call.resume();
        const text = `${opened}-${'y'.repeat(100)}`;
        const metadata = {
          NAMESPACE: `ns-${text}`,
          NETWORK: `network-${text}`,
          REQUESTED_NETWORK_VIEW: `view-${text},other-${text}`,
          CLUSTER_ID: `cluster-${text}`,
          MESH_VERSION: `version-${text}`,
          UNKNOWN: 'z'.repeat(50_000),
        };
        const node = `sidecar~10.66.0.1~pod-${text}.ns-${text}~ns-${text}.svc.domain-${text}`;
        call.write(requestFrame({ node, metadata, typeUrl: TypeUrl.cluster }));
        call.write(requestFrame({ typeUrl: TypeUrl.listener }));
        call.write(requestFrame({ typeUrl: TypeUrl.endpoint, names: ['outbound|80||books.shop.svc.cluster.local'] }));
        call.write(requestFrame({ typeUrl: TypeUrl.route, names: ['80'] }));
        opened++;
      }
      await delay(TICK_MS, undefined, { signal }).catch(() => undefined);
    }
    return `${opened} streams; ${endings}`;
  },
};
