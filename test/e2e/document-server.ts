import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

/**
 * A program: an HTTP server of JSON documents on all loopback addresses. Arguments: the port, and a file with the documents
 * by path, which it reads for each request. A document that is a text is the target of a redirect.
 */

const [, , port, file = ''] = process.argv;

const server = createServer((request, response) => {
  const documents = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const document = documents[request.url ?? ''];
  if (typeof document === 'string') response.writeHead(302, { location: document }).end();
  else if (document === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
});
server.listen(Number(port), '0.0.0.0', () => process.stdout.write('listening\n'));
