import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { projectRoot } from '../counterparts/project-root.js';

for (const [file, name] of [
  ['cli/tune-heap.js', 'tuneHeap'],
  ['policy/server/heap-for-checks.js', 'tuneHeapForChecks'],
] as const) {
  test(`this version of Node has the flags of V8 that ${name} sets`, async (t) => {
    const module = JSON.stringify(`${projectRoot()}/build/src/${file}`);
    const program = `import { ${name} } from ${module}; ${name}(); console.log('done');`;
    const run = promisify(execFile);
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', program]);
    // V8 prints an error for an unknown flag and continues.
    t.deepEqual([stdout, stderr], ['done\n', '']);
  });
}
