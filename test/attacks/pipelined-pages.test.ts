import { survives } from './support/survives.js';

await survives(['pipelined-pages']);
