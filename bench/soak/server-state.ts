import { readFile } from 'node:fs/promises';
import { sumOfSeries } from '../../test/counterparts/metrics-text.js';
import type { DiscoveryProcess } from '../subject/launch-discovery.js';

type Server = Pick<DiscoveryProcess, 'monitoringPort' | 'logFile'>;

/** Counters that stay at zero, because the clients reject nothing. */
const ERROR_COUNTERS = [
  'nav_total_xds_rejects',
  'nav_total_xds_internal_errors',
  'nav_total_rejected_configs',
] as const;

/** Connected clients, by the server's metrics. */
export async function countConnected({ monitoringPort }: Server): Promise<number> {
  return sumOfSeries(await readMetrics(monitoringPort), 'nav_xds');
}

/** Errors that a server has counted or logged, in words. Its log must be JSON. */
export async function findErrors({ monitoringPort, logFile }: Server): Promise<readonly string[]> {
  const metrics = await readMetrics(monitoringPort);
  const counted = ERROR_COUNTERS.map((name) => [name, sumOfSeries(metrics, name)] as const);
  const lines = (await readFile(logFile, 'utf8')).split('\n');
  return [
    ...counted.filter(([, count]) => count > 0).map(([name, count]) => `${name} is ${count}`),
    ...lines.filter((line) => /"level":"(?:error|fatal)"/.test(line)),
  ];
}

async function readMetrics(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { connection: 'close' } });
  return await response.text();
}
