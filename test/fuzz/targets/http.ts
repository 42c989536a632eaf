import { connect } from 'node:net';
import type { ExecutionContext } from 'ava';
import fc from 'fast-check';
import { createPages } from '../../../src/introspection/page-table.js';
import { serve } from '../../introspection/fixtures/serve.js';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.js';

/** The server closes no connection by itself within the time that a case waits for it. */
const TIMEOUTS = { headersMs: 120_000, requestMs: 120_000, idleMs: 120_000, keepAliveMs: 120_000 };

/**
 * Settles with the response of the server, the end of which need not have come, or with none when it closes the connection.
 * The client does not end its side: the server would close the connection then, answered or not.
 */
function answerTo(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text;
      if (answer.includes('\r\n\r\n')) socket.destroy();
    });
    // The server may reset a connection that it closes with unread data.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
    socket.setTimeout(30_000, () => reject(new Error('the server neither answered nor closed the connection')));
    socket.write(bytes, 'latin1');
  });
}

let port: Promise<number> | undefined;
let stop: () => unknown = () => undefined;

/** A server with all debug pages, until `stopHttpServer`. */
function serverPort(): Promise<number> {
  const context = {
    teardown: (end: () => unknown) => {
      stop = end;
    },
  };
  port ??= serve(context as unknown as ExecutionContext, { timeouts: TIMEOUTS }).then((served) => served.port);
  return port;
}

/** Ends the server, where a case has started it. */
export async function stopHttpServer(): Promise<void> {
  await port;
  await stop();
}

const paths = createPages().map(({ path }) => String(path));
const piece = fc.oneof(
  fc.constantFrom('/', '?', '&', '=', '%', '%2f', '%00', '..', '*', 'proxyID=', 'push=true', '#', '//', 'http://x'),
  fc.string({ maxLength: 5 }),
);
const target = fc
  .tuple(fc.oneof(fc.constantFrom(...paths), fc.constant('/')), fc.array(piece, { maxLength: 6 }))
  .map(([path, pieces]) => encodeURI(`${path}${pieces.join('')}`));
const host = fc.oneof(
  fc.constantFrom('127.0.0.1', 'localhost:1', '[::1]', '[', 'evil.example', '127.0.0.1:99999', 'a b', '', ':', '%00'),
  fc.string({ maxLength: 20 }).map((text) => text.replace(/[\r\n]/g, '')),
);
const line = fc.oneof(
  fc.constantFrom('Origin: http://x', 'Connection: upgrade', 'Content-Length: 5', 'Transfer-Encoding: chunked'),
  fc.constantFrom('Forwarded: for=1', 'X-Forwarded-For: 1', 'Sec-Fetch-Site: cross-site', 'Host: again'),
  fc.string({ maxLength: 20 }),
);

export const httpTargets: readonly FuzzTarget[] = [
  fuzzTarget('http-request', {
    inputs: fc.record({
      method: fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'TRACE', 'get'),
      target: fc.oneof({ weight: 4, arbitrary: target }, fc.string()),
      host,
      lines: fc.array(line, { maxLength: 3 }),
    }),
    run: async ({ method, target: path, host: name, lines }) => {
      const head = [`${method} ${path} HTTP/1.1`, `Host: ${name}`, 'Connection: close', ...lines];
      // As a chunk it is the last one, and it has five bytes.
      const body = lines.some((each) => /^(Content-Length|Transfer-Encoding):/.test(each)) ? '0\r\n\r\n' : '';
      const answer = await answerTo(await serverPort(), `${head.join('\r\n')}\r\n\r\n${body}`);
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
      if (answer !== '' && status === undefined) throw new Error(`not an answer: ${answer.slice(0, 100)}`);
      if (status === '500') throw new Error(`the server failed: ${answer.slice(0, 500)}`);
    },
  }),
];
