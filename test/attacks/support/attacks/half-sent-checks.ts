import type { Attack } from '../attack.js';
import { sendHalf } from '../half-sent.js';

const CALLS = 300;

export const attack: Attack = {
  title: `${CALLS} half-sent Checks of 4 MiB each, without credentials`,
  run({ host, ports }, scale, signal) {
    const address = { host, port: ports.policy };
    const path = '/envoy.service.auth.v3.Authorization/Check';
    const half = { address, path, calls: CALLS * scale, messageBytes: 4 * 2 ** 20 };
    return sendHalf(half, this.durationMs ?? 10_000, signal);
  },
};
