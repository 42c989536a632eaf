import { request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** Reads a server's HTTP pages. */
export interface HttpReader {
  get(path: string): Promise<HttpAnswer>;
  /** The page as JSON. */
  json<T>(path: string): Promise<T>;
  /** The value of one series of /metrics; undefined when it is not there. */
  metric(series: string): Promise<number | undefined>;
  /** All lines of one family of /metrics, without its help and type. */
  family(name: string): Promise<readonly string[]>;
}

export function createHttpReader(port: number): HttpReader {
  const get = (path: string): Promise<HttpAnswer> =>
    new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port, path, agent: false }, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
  const metricLines = async (): Promise<string[]> => (await get('/metrics')).body.split('\n');
  return {
    get,
    json: async (path) => {
      const { status, body } = await get(path);
      if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`);
      return JSON.parse(body);
    },
    metric: async (series) => {
      const line = (await metricLines()).find((each) => each.startsWith(`${series} `));
      return line === undefined ? undefined : Number(line.slice(series.length + 1));
    },
    family: async (name) =>
      (await metricLines()).filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`)),
  };
}
