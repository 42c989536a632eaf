// npm run demo: real Envoys on the sample mesh, in a minute. Installs, builds and obtains Envoy when needed.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { endWithNpm } from './end-with-npm.mjs';
import { obtainEnvoy } from './obtain-envoy.mjs';
import { obtainSystemTools } from './obtain-system-tools.mjs';
import { projectRoot, setUp } from './set-up.mjs';
import { warn } from './terminal.mjs';

setUp();
if (process.platform !== 'linux') {
  console.error(`The demo runs Envoys side by side on Linux; this is ${process.platform}. npm start works here too.`);
  process.exit(1);
}
const { missing } = obtainSystemTools();
if (missing !== undefined) warn(missing);
const envoy = obtainEnvoy();
if (envoy.missing !== undefined) {
  console.error(`The demo needs Envoy: ${envoy.missing}`);
  process.exit(1);
}

const demo = spawn(process.execPath, [join(projectRoot, 'build/samples/demo/main.js'), envoy.binary], {
  cwd: projectRoot,
  stdio: 'inherit',
});
endWithNpm(demo);
demo.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
// The terminal sends Ctrl-C to the demo too, which then cleans up; we only wait for it.
process.on('SIGINT', () => process.stdin.isTTY || demo.kill('SIGINT'));
process.on('SIGTERM', () => demo.kill('SIGTERM'));
