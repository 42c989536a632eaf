import type { Attack } from '../attack.js';
import { sendHalf } from '../half-sent.js';

const CALLS = 300;

export const attack: Attack = {
  title: `${CALLS} half-sent calls of CreateCertificate of 4 MiB each, without credentials`,
  run({ host, ports, root: ca, serverName: servername }, scale, signal) {
    const address = { host, port: ports.secureGrpc, tls: { ca, servername } };
    const path = '/mesh.ca.v1.MeshCertificateService/CreateCertificate';
    const half = { address, path, calls: CALLS * scale, messageBytes: 4 * 2 ** 20 };
    return sendHalf(half, this.durationMs ?? 10_000, signal);
  },
};
