// npm run attack: installs and builds when needed, then attacks a server of its own; test/attacks/run.ts has the options.
import { obtainTestcluster } from './obtain-testcluster.mjs';
import { projectRoot, setUp } from './set-up.mjs';

setUp();
obtainTestcluster();
await import(new URL(`file://${projectRoot}/build/test/attacks/run.js`).href);
