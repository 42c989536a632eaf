import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { programFile } from '../counterparts/program-file.js';

const MAIN = programFile('navigator-discovery');

/** Runs the real binary with nothing but the given variables in its environment. */
async function run(argv: readonly string[], variables: Record<string, string> = {}) {
  const child = spawn(process.execPath, [MAIN, ...argv], { env: variables, stdio: ['ignore', 'pipe', 'pipe'] });
  const [code, stdout, stderr] = await Promise.all([
    new Promise<number | null>((resolve) => child.on('close', resolve)),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr };
}

const ONE_LINE_FAILURES: readonly (readonly [readonly string[], Record<string, string>, RegExp])[] = [
  [['discovery', '--grpcAddr', '15010'], {}, /--grpcAddr must be host:port.*, not "15010"/],
  [['discovery', '--introspect_port=70000'], {}, /--introspect_port must be an integer from 0 to 65535, not "70000"/],
  [['discovery', '--registries', 'Consul'], {}, /--registries must be one or more of .*, not "Consul"/],
  [['discovery', '--log_output_level', 'x:info'], {}, /--log_output_level must be .*, not "x:info"/],
  [['discovery', '--no_such'], {}, /"--no_such" is not a flag/],
  [['discovery', '--short'], {}, /"--short" is not a flag of discovery/],
  [['discovery', 'extra'], {}, /discovery accepts only flags, not the argument "extra"/],
  [['discovery'], { NAV_DEBOUNCE_AFTER: 'soon' }, /NAV_DEBOUNCE_AFTER must be a duration.*, not "soon"/],
  [['discovery'], { NAV_HTTP10: 'on\noff' }, /NAV_HTTP10 must be true or false, not "on\\noff"/],
  [['version', '-o', 'xml'], {}, /--output must be 'yaml' or 'json', not "xml"/],
  [['version', '--keepaliveTimeout', 'x'], {}, /--keepaliveTimeout must be a duration/],
  [['request', 'GET'], {}, /request needs <method> <path> \[<body>\]/],
  [['discover'], {}, /"discover" is not a command: did you mean discovery\?/],
  [['serve'], {}, /"serve" is not a command: the commands are discovery, request, version/],
];

for (const [argv, variables, message] of ONE_LINE_FAILURES) {
  test(`the binary exits with 1 and one line on stderr for: ${argv.join(' ')} ${JSON.stringify(variables)}`, async (t) => {
    const { code, stdout, stderr } = await run(argv, variables);
    t.is(code, 1);
    t.is(stdout, '');
    t.regex(stderr, message);
    t.regex(stderr, /^navigator-discovery: [^\n]+\n$/);
  });
}

test('the binary prints the short version by default', async (t) => {
  const { code, stdout } = await run(['version']);
  t.is(code, 0);
  t.regex(stdout, /^\d+\.\d+\.\d+\n$/);
});

test('the binary without a command shows the commands and exits with 0', async (t) => {
  const { code, stdout } = await run([]);
  t.is(code, 0);
  for (const command of ['discovery', 'request', 'version']) {
    t.true(stdout.includes(`navigator-discovery ${command}`));
  }
});
