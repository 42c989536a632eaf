import { Agent, request } from 'node:https';
import { buildWebhookWorkload } from '../../../../bench/webhook/webhook-workload.js';
import type { Attack, AttackTarget } from '../attack.js';
import { formatReport, offerTwiceCapacity, SERVED } from '../twice-capacity.js';

const RULES = 100;
const SERVICES = 20;
const CALLS_AT_ONCE = 32;
/** Changes that one API server has under way at once by default: --max-mutating-requests-inflight. */
const MAX_IN_FLIGHT = 200;
const ADDRESSES = ['127.0.0.20', '127.0.0.21'];
/** As an API server waits by default. */
const TIMEOUT_MS = 10_000;

/** API servers without a client certificate send twice as many valid reviews as the webhook can answer. */
export const attack: Attack = {
  title: `twice as many reviews of QuotaSpecs with ${RULES} rules as the webhook can answer`,
  async run(target, scale, signal) {
    const { reviews } = buildWebhookWorkload({ rules: RULES, services: SERVICES });
    const agents = ADDRESSES.map(
      (localAddress) =>
        new Agent({ keepAlive: true, localAddress, ca: target.root, maxSockets: MAX_IN_FLIGHT / ADDRESSES.length }),
    );
    let calls = 0;
    const call = (): Promise<string> => {
      const index = calls++;
      return send(target, agents[index % agents.length] as Agent, reviews[index % reviews.length] as string);
    };
    const service = { callsAtOnce: CALLS_AT_ONCE, maxInFlight: MAX_IN_FLIGHT, call };
    const report = await offerTwiceCapacity(service, scale, signal);
    for (const agent of agents) agent.destroy();
    return formatReport(report);
  },
};

function send({ host, ports, serverName }: AttackTarget, agent: Agent, body: string): Promise<string> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const options = { host, port: ports.https, path: '/validate', method: 'POST', headers, agent };
    const call = request({ ...options, servername: serverName, timeout: TIMEOUT_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', () => resolve('cut off'));
      response.on('end', () => {
        const { statusCode, headers: fields } = response;
        if (statusCode === 200 && text.includes('"allowed":true')) resolve(SERVED);
        else if (statusCode === 503 && fields['retry-after'] !== undefined) resolve('503 with Retry-After');
        else resolve(`${statusCode}: ${text.slice(0, 100)}`);
      });
    });
    call.on('timeout', () => call.destroy(new Error('no answer')));
    call.on('error', ({ message }) => resolve(message));
    call.end(body);
  });
}
