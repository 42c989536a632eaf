import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { connectProxy } from '../bootstrap/support/connect-proxy.js';
import { serviceEntry, sidecar } from '../bootstrap/support/manifests.js';
import { startServer } from '../bootstrap/support/running-server.js';
import { runCommandLine } from '../cli/run-command.js';
import { projectRoot } from '../counterparts/project-root.js';
import { eventually } from '../support/eventually.js';
import { commandBlocksOf } from '../support/page-commands.js';

const ROOT = projectRoot();

interface Example {
  readonly argv: readonly string[];
  readonly output: string;
}

/** Commands of the page with their output. Words with spaces are in single quotes. */
function examples(): readonly Example[] {
  return commandBlocksOf('docs/commands.md')
    .flatMap(({ commands }) => commands)
    .map(({ command, output = '' }) => ({
      argv: [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(1),
      output,
    }));
}

/** Ports, nonces and waiting times differ from run to run. */
function comparable(text: string): string {
  return text
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:15014')
    .replaceAll(/[\w+/-]{11}=[0-9a-f-]{36}/g, 'NONCE')
    .replaceAll(/\b\d+s\b/g, '0s')
    .replaceAll(/ {2,}/g, '  ')
    .replaceAll(/-{2,}/g, '');
}

test('the commands of docs/commands.md print the output that the page shows', async (t) => {
  const shop = readFileSync(join(ROOT, 'docs/commands-example/shop.yaml'), 'utf8');
  const server = await startServer(t, { files: { 'shop.yaml': shop } });
  const node = (name: string) => ({ ...sidecar(), id: `sidecar~10.0.0.1~${name}.shop~shop.svc.cluster.local` });
  await connectProxy(t, server, node('books-1'));
  const web = await connectProxy(t, server, node('web-1'));
  web.refuseNext.add(TypeUrl.cluster);
  await server.folder.write('pay.yaml', serviceEntry('pay'));
  const address = ['--address', `127.0.0.1:${server.monitoringPort}`];
  await eventually('both proxies have answered', async () => {
    const { code, stdout } = await runCommandLine(['proxy-status', ...address]);
    return code === 2 && !stdout.includes('STALE');
  });
  t.true(examples().length >= 5);
  for (const { argv, output } of examples()) {
    const isOfFiles = argv.some((word) => word.startsWith('docs/'));
    const { stdout, stderr } = await runCommandLine([...argv, ...(isOfFiles ? [] : address)]);
    t.is(comparable(stdout + stderr), comparable(output), argv.join(' '));
  }
});
