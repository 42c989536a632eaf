import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { projectRoot } from '../counterparts/project-root.js';

test('this version of Node has the flag of V8 that tunes the heap', async (t) => {
  const module = JSON.stringify(`${projectRoot()}/build/src/cli/tune-heap.js`);
  const program = `import { tuneHeap } from ${module}; tuneHeap(); console.log('done');`;
  const run = promisify(execFile);
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  // V8 prints an error for an unknown flag and continues.
  t.deepEqual([stdout, stderr], ['done\n', '']);
});
