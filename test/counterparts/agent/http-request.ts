import { type Agent, request as startRequest } from 'node:http';
import { request as startTlsRequest } from 'node:https';
import type { HttpAnswer, HttpRequest } from './calls.js';

/** One HTTP request; any status is an answer, only a broken connection or silence is an error. */
export function requestHttp(options: HttpRequest, agent: Agent | false = false): Promise<HttpAnswer> {
  const { url, path, serverName, method = 'GET', headers = {}, body = '', timeoutMs = 30_000 } = options;
  return new Promise((resolve, reject) => {
    const target = { method, headers, agent, timeout: timeoutMs, ...(path === undefined ? {} : { path }) };
    const tls = { rejectUnauthorized: false, ...(serverName === undefined ? {} : { servername: serverName }) };
    const isTls = url.startsWith('https:');
    const start = isTls ? startTlsRequest : startRequest;
    const request = start(url, isTls ? { ...target, ...tls } : target, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: { ...response.headers }, body: text }),
      );
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    request.on('error', (cause) => reject(new Error(`${method} ${url}: ${cause.message}`, { cause })));
    request.end(body);
  });
}
