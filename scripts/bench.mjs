// npm run bench: installs and builds when needed, then measures in this same process, so that Ctrl-C reaches it.
import { obtainEnvoy } from './obtain-envoy.mjs';
import { obtainTestcluster } from './obtain-testcluster.mjs';
import { projectRoot, setUp } from './set-up.mjs';

// Notes about the set-up go to stderr: with --json, stdout holds nothing but the report.
const writeOut = process.stdout.write;
process.stdout.write = process.stderr.write.bind(process.stderr);
setUp();
if (process.argv[2] === 'policy' && !process.argv.includes('--no-envoy')) obtainEnvoy();
if (process.argv[2] === 'kubernetes') obtainTestcluster();
if (process.argv[2] === 'start' && !process.argv.includes('--no-cluster')) obtainTestcluster();
process.stdout.write = writeOut;

await import(new URL(`file://${projectRoot}/build/bench/main.js`).href);
