import { Agent, request } from 'node:http';
import type { AttackTarget } from '../attack.js';
import type { ProbeUser } from '../probe.js';

/** A kubelet: GET /ready of the monitoring port over a new connection each time. */
export function createReadyUser({ host, ports }: AttackTarget): ProbeUser {
  const agent = new Agent({ keepAlive: false, localAddress: '127.0.0.2' });
  return {
    name: '/ready',
    act: () =>
      new Promise((resolve, reject) => {
        const call = request({ host, port: ports.monitoring, path: '/ready', agent }, (response) => {
          response.resume();
          response.on('end', () => {
            if (response.statusCode === 200) resolve();
            else reject(new Error(`/ready answered ${response.statusCode}`));
          });
        });
        call.on('error', reject);
        call.end();
      }),
    close: () => agent.destroy(),
  };
}
