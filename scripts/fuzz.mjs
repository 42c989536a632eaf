// npm run fuzz: installs and builds when needed, then fuzzes every parser that faces a peer; test/fuzz/README.md has the options.
import { projectRoot, setUp } from './set-up.mjs';

setUp();
await import(new URL(`file://${projectRoot}/build/test/fuzz/run.js`).href);
