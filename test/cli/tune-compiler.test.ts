import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { projectRoot } from '../counterparts/project-root.js';

test('this version of Node has the flag of V8 that tunes the compiler, and the tuning does not keep the process alive', async (t) => {
  const module = JSON.stringify(`${projectRoot()}/build/src/cli/tune-compiler.js`);
  const program = `import { tuneCompiler } from ${module}; tuneCompiler(); console.log(process.getActiveResourcesInfo());`;
  const run = promisify(execFile);
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  t.notRegex(stdout, /Timeout/);
  // V8 prints an error for an unknown flag and continues.
  t.is(stderr, '');
});
