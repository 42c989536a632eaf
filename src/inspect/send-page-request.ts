import { request as httpRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import type { PageAnswer, PageRequest } from './page-server.js';

const TIMEOUT_MS = 60_000;

/**
 * Sends one HTTP request and reads the whole answer. It fails after 60 s.
 *
 * @param host the Host header, and the address unless there is a connection
 * @param connection an open connection to the server
 */
export async function sendPageRequest(
  host: string,
  { method, path, body = '' }: PageRequest,
  connection?: Duplex,
): Promise<PageAnswer> {
  const url = `http://${host}/${path.replace(/^\//, '')}`;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return await new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      url,
      {
        method,
        headers: { connection: 'close' },
        signal,
        ...(connection === undefined ? {} : { createConnection: () => connection }),
      },
      (response) => {
        const date = new Date(response.headers.date ?? '');
        readText(response).then(
          (text) =>
            resolve({
              status: response.statusCode ?? 0,
              body: text,
              date: Number.isNaN(date.getTime()) ? undefined : date,
            }),
          reject,
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
