import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { ApiServer } from './api-server.js';

/** A fault that replaces the forwarding of a request. */
export type Fault =
  /** An answer of our own; the connection stays open when `isOpenEnded`. */
  | { readonly type: 'answer'; readonly status: number; readonly body: string; readonly isOpenEnded?: boolean }
  /** The request is never answered. */
  | { readonly type: 'silence' }
  /** Status 200 and headers at once, and then nothing. */
  | { readonly type: 'swallow' }
  /** Passed on when the promise settles. */
  | { readonly type: 'hold'; readonly until: Promise<unknown> };

/** Decides about each request by its path and query. */
export type FaultRule = (url: URL) => Fault | undefined;

/** A proxy before an API server that simulates faults of networks and proxies. */
export interface FaultProxy {
  readonly url: string;
  /** `/api/v1/services?watch=true&…` of all requests, in order. */
  readonly requests: readonly string[];
  setRule(rule: FaultRule | undefined): void;
  /** Breaks every connection off. */
  cut(): void;
  close(): Promise<void>;
}

export async function startFaultProxy(api: ApiServer): Promise<FaultProxy> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const agent = new Agent({ keepAlive: true });
  let rule: FaultRule | undefined;

  const forward = (incoming: IncomingMessage, answer: ServerResponse): void => {
    const headers = { ...incoming.headers, host: new URL(api.url).host };
    const outgoing = request(new URL(incoming.url ?? '/', api.url), { headers, agent, ca: api.ca() }, (real) => {
      answer.writeHead(real.statusCode ?? 502, real.headers);
      answer.flushHeaders();
      real.on('error', () => answer.destroy());
      real.pipe(answer);
      answer.on('close', () => real.destroy());
    });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => outgoing.destroy());
    outgoing.end();
  };

  const server = createServer((incoming, answer) => {
    const fault = rule?.(new URL(incoming.url ?? '/', 'http://proxy'));
    requests.push(incoming.url ?? '');
    switch (fault?.type) {
      case 'silence':
        break;
      case 'answer':
        answer.writeHead(fault.status, { 'content-type': 'application/json' });
        answer.write(fault.body);
        if (fault.isOpenEnded !== true) answer.end();
        break;
      case 'hold':
        void fault.until.then(() => forward(incoming, answer));
        break;
      case 'swallow':
        answer.writeHead(200, { 'content-type': 'application/json' });
        answer.flushHeaders();
        break;
      case undefined:
        forward(incoming, answer);
        break;
    }
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    setRule: (next) => {
      rule = next;
    },
    cut,
    close: async () => {
      cut();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The Status object that an API server answers with, as text. */
export function statusBody(code: number, reason: string, message = reason): string {
  return JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message });
}
