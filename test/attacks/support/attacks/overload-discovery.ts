import { type ClientHttp2Session, constants } from 'node:http2';
import { TypeUrl } from '../../../../src/envoy/type-urls.js';
import type { Attack } from '../attack.js';
import { connectTo, Endings, nodeId, nonceOf, openAds, requestFrame } from '../discovery-call.js';
import { onGrpcMessage } from '../raw-http2.js';
import { formatReport, offerTwiceCapacity, SERVED } from '../twice-capacity.js';

const CONNECTIONS = 32;
const CALLS_AT_ONCE = 32;
const MAX_IN_FLIGHT = 1_000;
const TYPES = [TypeUrl.cluster, TypeUrl.listener] as const;

/** Sidecars of one workload that start again and again: each asks for clusters and listeners and acknowledges them. */
export const attack: Attack = {
  title: 'twice as many starting sidecars of one workload as the server can serve',
  async run(target, scale, signal) {
    const sessions: ClientHttp2Session[] = [];
    let streams = 0;
    const call = (): Promise<string> => {
      const index = streams++ % CONNECTIONS;
      const open = sessions[index];
      const session = open === undefined || open.destroyed || open.closed ? connectTo(target, 'secured') : open;
      sessions[index] = session;
      return start(session, streams);
    };
    const service = { callsAtOnce: CALLS_AT_ONCE, maxInFlight: MAX_IN_FLIGHT, call };
    const report = await offerTwiceCapacity(service, scale, signal);
    for (const session of sessions) session.destroy();
    return formatReport(report);
  },
};

/** One sidecar's start: settles when it has the last type, or when its stream has ended before. */
function start(session: ClientHttp2Session, index: number): Promise<string> {
  return new Promise((resolve) => {
    const endings = new Endings();
    const stream = openAds(session, endings);
    let answered = 0;
    stream.on('close', () => resolve(answered === TYPES.length ? SERVED : String(endings)));
    onGrpcMessage(stream, (response) => {
      const typeUrl = TYPES[answered++];
      if (typeUrl === undefined || stream.destroyed) return;
      stream.write(requestFrame({ typeUrl, nonce: nonceOf(response) }));
      const next = TYPES[answered];
      if (next === undefined) stream.close(constants.NGHTTP2_CANCEL);
      else stream.write(requestFrame({ typeUrl: next }));
    });
    stream.write(requestFrame({ node: nodeId(`sidecar-${index}`), typeUrl: TYPES[0] }));
  });
}
