import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { errorText } from '../../../src/base/error-text.js';
import type { HttpRequest, LoadOptions, LoadReport, StatusChange } from './calls.js';
import { requestHttp } from './http-request.js';

const KEPT_SAMPLES = 5;

export interface Load {
  read(): LoadReport;
  stop(): Promise<LoadReport>;
}

/** Sends requests without pause; each status except 200, or the expected one, counts as a failure. */
export function startLoad(options: LoadOptions): Load {
  const { request, concurrency = 2, newConnections = false, numbered = false, expected = [200] } = options;
  const KeepingAgent = request.url.startsWith('https:') ? TlsAgent : Agent;
  const agent = newConnections ? false : new KeepingAgent({ keepAlive: true, maxSockets: concurrency });
  const byServer: Record<string, number> = {};
  const changes: StatusChange[] = [];
  const samples: string[] = [];
  let begun = 0;
  let requests = 0;
  let failures = 0;
  let stopping = false;

  const fail = (what: string): void => {
    failures++;
    if (samples.length < KEPT_SAMPLES) samples.push(`${new Date().toISOString()} request ${requests}: ${what}`);
  };
  const next = (): HttpRequest => {
    begun++;
    return numbered ? { ...request, path: `${request.path ?? '/'}?n=${begun}` } : request;
  };
  const sendOne = async (): Promise<void> => {
    try {
      const answer = await requestHttp(next(), agent);
      requests++;
      if (answer.status !== changes.at(-1)?.status) {
        changes.push({ at: Date.now(), status: answer.status, after: requests - 1 });
      }
      if (!expected.includes(answer.status)) return fail(`status ${answer.status}: ${answer.body.slice(0, 200)}`);
      const name = String(answer.headers['x-served-by'] ?? 'unknown');
      byServer[name] = (byServer[name] ?? 0) + 1;
    } catch (error) {
      requests++;
      fail(errorText(error));
      // A refused connection fails at once. Without a turn of the event loop, the load could not be stopped.
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
    changes: [...changes],
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
