import { execFileSync } from 'node:child_process';
import test from 'ava';
import { discoveryProgram } from '../../src/cli/discovery-program.js';
import { runCommandLine } from './run-command.js';

/** The words that a real bash offers for the last word of a line. */
function complete(script: string, line: string): readonly string[] {
  const words = line.split(' ');
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const program = `${script}
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}
_navigator_discovery
printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['--norc', '-c', program], { encoding: 'utf8' }).trim().split('\n');
}

test('bash completes commands, the flags of a command, and the words that it takes', async (t) => {
  const { code, stdout: script } = await runCommandLine(['completion', 'bash']);
  t.is(code, 0);
  t.deepEqual(complete(script, 'navigator-discovery '), [...discoveryProgram.commands.keys()]);
  t.deepEqual(complete(script, 'navigator-discovery pro'), ['proxy-status']);
  t.deepEqual(complete(script, 'navigator-discovery proxy-status --addr'), ['--address']);
  t.deepEqual(complete(script, 'navigator-discovery analyze --failure'), ['--failure-threshold']);
  t.deepEqual(complete(script, 'navigator-discovery completion z'), ['zsh']);
  for (const [name, { flags, serves }] of discoveryProgram.commands) {
    const offered = complete(script, `navigator-discovery ${name} --`);
    for (const flag of flags) t.true(offered.includes(`--${flag.name}`), `${name} --${flag.name}`);
    t.is(offered.includes('--grpcMaxHeaderBytes'), serves === true, `${name}: limits of servers`);
  }
});

test('bash completes files for operands of analyze and for values of flags', async (t) => {
  const { stdout: script } = await runCommandLine(['completion', 'bash']);
  t.true(complete(script, 'navigator-discovery analyze package-l').includes('package-lock.json'));
  t.true(complete(script, 'navigator-discovery proxy-status --kubeconfig package-l').includes('package-lock.json'));
});

test('the scripts for zsh and fish name every command with its flags', async (t) => {
  for (const shell of ['zsh', 'fish']) {
    const { code, stdout } = await runCommandLine(['completion', shell]);
    t.is(code, 0);
    for (const [name, { flags }] of discoveryProgram.commands) {
      t.true(stdout.includes(name), `${shell}: ${name}`);
      for (const flag of flags) t.true(stdout.includes(flag.name), `${shell}: ${flag.name}`);
    }
  }
  t.regex((await runCommandLine(['completion', 'tcsh'])).stderr, /completion needs one shell: bash, zsh, fish/);
});
