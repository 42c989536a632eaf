import test from 'ava';
import { versionFlags } from '../../src/cli/commands/version-command.js';
import { parseArguments } from '../../src/cli/parse-arguments.js';
import { commonFlags } from '../../src/cli/settings/common-flags.js';
import { discoveryFlags } from '../../src/cli/settings/discovery-flags.js';

const FLAGS = [...Object.values(discoveryFlags), ...Object.values(commonFlags), ...Object.values(versionFlags)];
const parse = (...argv: readonly string[]) => {
  const { command, operands, flags, help } = parseArguments(argv, FLAGS);
  return { command, operands, flags: Object.fromEntries(flags), help };
};

const GOOD: readonly (readonly [string, Record<string, readonly string[]>])[] = [
  ['--grpcAddr :1', { grpcAddr: [':1'] }],
  ['--grpcAddr=:1', { grpcAddr: [':1'] }],
  ['--grpcAddr=', { grpcAddr: [''] }],
  ['--meshConfig=a=b', { meshConfig: ['a=b'] }],
  ['--log_as_json', { log_as_json: ['true'] }],
  ['--log_as_json=false', { log_as_json: ['false'] }],
  ['--log_as_json --profile', { log_as_json: ['true'], profile: ['true'] }],
  ['-a x -n y', { appNamespace: ['x'], namespace: ['y'] }],
  ['-ax', { appNamespace: ['x'] }],
  ['-a=x', { appNamespace: ['x'] }],
  ['-s', { short: ['true'] }],
  ['-s=false', { short: ['false'] }],
  ['--short=false -o yaml', { short: ['false'], output: ['yaml'] }],
  ['--registries Mock --registries Orchestrator,Mock', { registries: ['Mock', 'Orchestrator,Mock'] }],
  ['--resync -1s', { resync: ['-1s'] }],
  ['--trust-domain td', { 'trust-domain': ['td'] }],
];

for (const [line, expected] of GOOD) {
  test(`the flags ${line} are read before and after the command`, (t) => {
    t.deepEqual(parse('discovery', ...line.split(' ')), {
      command: 'discovery',
      operands: [],
      flags: expected,
      help: false,
    });
    t.deepEqual(parse(...line.split(' '), 'discovery').flags, expected);
    t.is(parse(...line.split(' '), 'discovery').command, 'discovery');
  });
}

test('a flag that needs no value does not consume the next word', (t) => {
  t.deepEqual(parse('discovery', '--profile', 'false').operands, ['false']);
});

test('all words after -- are operands', (t) => {
  const parsed = parse('request', 'POST', '--log_as_json', '--', '--x', '-h', '{}');
  t.deepEqual(parsed.operands, ['POST', '--x', '-h', '{}']);
  t.deepEqual(parsed.flags, { log_as_json: ['true'] });
  t.false(parsed.help);
});

test('a lone dash is an operand', (t) => {
  t.deepEqual(parse('request', 'GET', '-').operands, ['GET', '-']);
});

test('-h and --help ask for help', (t) => {
  t.true(parse('--help').help);
  t.true(parse('discovery', '-h').help);
});

test('an empty command line has no command', (t) => {
  t.deepEqual(parse(), { command: undefined, operands: [], flags: {}, help: false });
});

const BAD: readonly (readonly [readonly string[], RegExp])[] = [
  [['--nope'], /^"--nope" is not a flag: see /],
  [['--nope=1'], /^"--nope" is not a flag/],
  [['--grpcAdr=:1'], /^"--grpcAdr" is not a flag: did you mean --grpcAddr\?/],
  [['--grpcaddr', ':1'], /did you mean --grpcAddr\?/],
  [['--log-as-json'], /did you mean --log_as_json\?/],
  [['-x'], /^"-x" is not a flag/],
  [['-sx'], /^"-sx" is not a flag/],
  [['--'.concat('=1')], /^"--" is not a flag/],
  [['--__proto__=1'], /is not a flag/],
  [['--grpcAddr'], /^--grpcAddr needs a value of type string/],
  [['-n'], /^--namespace needs a value/],
];

for (const [argv, message] of BAD) {
  test(`the line ${argv.join(' ')} is refused`, (t) => {
    t.throws(() => parse('discovery', ...argv), { name: 'SettingError', message });
  });
}
