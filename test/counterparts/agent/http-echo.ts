import { createServer } from 'node:http';
import type { HttpEcho, ServeOptions } from './calls.js';
import { listen, type RunningServer } from './running-server.js';

/**
 * An HTTP server that answers with its name and the request as it arrived. The caller may ask for a status
 * (`x-echo-status`). A request with `x-echo-hold` is answered when one to the path `/release` arrives.
 */
export function serveHttpEcho(options: ServeOptions): Promise<RunningServer> {
  const held: (() => void)[] = [];
  // As many headers as Envoy lets through, which is more than Node's 16 KB.
  const server = createServer({ maxHeaderSize: 128 * 1024 }, (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const echo: HttpEcho = {
        name: options.name,
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body,
      };
      const status = Number(request.headers['x-echo-status'] ?? 200);
      const answer = () => {
        response.writeHead(status, { 'content-type': 'application/json', 'x-served-by': options.name });
        response.end(JSON.stringify(echo));
      };
      if (request.headers['x-echo-hold'] !== undefined) {
        held.push(answer);
        return;
      }
      if (request.url === '/release') for (const release of held.splice(0)) release();
      answer();
    });
  });
  // Envoy keeps idle upstream connections longer than Node's five seconds; a server that closes them races requests.
  server.keepAliveTimeout = 600_000;
  return listen(server, options);
}
