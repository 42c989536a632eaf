import { Agent } from 'node:http';
import type { LoadOptions, LoadReport, StatusCount } from './calls.js';
import { requestHttp } from './http-request.js';

const KEPT_SAMPLES = 5;

export interface Load {
  read(): LoadReport;
  stop(): Promise<LoadReport>;
}

/** Sends requests back to back; everything but a 200, or what else is expected, counts as a failure. */
export function startLoad({ request, concurrency = 2, newConnections = false, expected = [200] }: LoadOptions): Load {
  const agent = newConnections ? false : new Agent({ keepAlive: true, maxSockets: concurrency });
  const byServer: Record<string, number> = {};
  const byStatus: Record<number, StatusCount> = {};
  const samples: string[] = [];
  let requests = 0;
  let failures = 0;
  let stopping = false;

  const fail = (what: string): void => {
    failures++;
    if (samples.length < KEPT_SAMPLES) samples.push(`${new Date().toISOString()} request ${requests}: ${what}`);
  };
  const sendOne = async (): Promise<void> => {
    try {
      const answer = await requestHttp(request, agent);
      requests++;
      const at = Date.now();
      const seen = byStatus[answer.status];
      byStatus[answer.status] = { count: (seen?.count ?? 0) + 1, firstAt: seen?.firstAt ?? at, lastAt: at };
      if (!expected.includes(answer.status)) return fail(`status ${answer.status}: ${answer.body.slice(0, 200)}`);
      const name = String(answer.headers['x-served-by'] ?? 'unknown');
      byServer[name] = (byServer[name] ?? 0) + 1;
    } catch (error) {
      requests++;
      fail(error instanceof Error ? error.message : String(error));
      // A refused connection fails at once; without a turn of the event loop nobody could stop the load.
      await new Promise(setImmediate);
    }
  };
  const workers = Array.from({ length: concurrency }, async () => {
    while (!stopping) await sendOne();
  });
  const read = (): LoadReport => ({
    requests,
    failures,
    samples: [...samples],
    byServer: { ...byServer },
    byStatus: { ...byStatus },
  });

  return {
    read,
    async stop() {
      stopping = true;
      await Promise.all(workers);
      if (agent !== false) agent.destroy();
      return read();
    },
  };
}
