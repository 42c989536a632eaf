import { Agent, request } from 'node:http';

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends HTTP/1.1 requests to one loopback port on connections that are kept. */
export interface HttpSender {
  /** Settles with the status when the whole answer has been read. */
  send(sent: SentRequest): Promise<number>;
  close(): void;
}

export function createHttpSender(port: number): HttpSender {
  const agent = new Agent({ keepAlive: true, scheduling: 'lifo' });
  return {
    send: ({ method, path, headers }) =>
      new Promise((resolve, reject) => {
        const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
          response.on('error', reject);
          response.on('end', () => resolve(response.statusCode ?? 0));
          response.resume();
        });
        outgoing.on('error', reject);
        outgoing.end();
      }),
    close: () => agent.destroy(),
  };
}
