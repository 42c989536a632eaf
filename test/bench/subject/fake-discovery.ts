import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

/**
 * Replaces the entry of the discovery server in tests; FAKE_DISCOVERY selects its behaviour. It listens only on
 * --httpAddr.
 */
const { values } = parseArgs({ strict: false, allowPositionals: true, options: { httpAddr: { type: 'string' } } });
const port = Number(String(values['httpAddr']).split(':').at(-1));
const behaviour = process.env['FAKE_DISCOVERY'];

if (behaviour === 'crash') {
  console.error('the port is in use');
  process.exit(3);
}
if (behaviour === 'stubborn') process.on('SIGTERM', () => {});
let asked = 0;
createServer((_request, response) => {
  asked += 1;
  response.statusCode = asked > 2 && behaviour !== 'never-ready' ? 200 : 503;
  response.end();
}).listen(port, '127.0.0.1');
console.log(`endpoint slices ${process.env['NAV_USE_ENDPOINT_SLICE']}`);
