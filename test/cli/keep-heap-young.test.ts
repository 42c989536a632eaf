import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { projectRoot } from '../counterparts/project-root.js';

test('this Node knows the flag that keeps the heap young', async (t) => {
  const module = JSON.stringify(`${projectRoot()}/build/src/cli/keep-heap-young.js`);
  const program = `import { keepHeapYoung } from ${module}; keepHeapYoung(); console.log('done');`;
  const run = promisify(execFile);
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  // V8 complains of what it does not know, and goes on.
  t.deepEqual([stdout, stderr], ['done\n', '']);
});
