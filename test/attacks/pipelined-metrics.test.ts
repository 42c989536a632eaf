import { survives } from './support/survives.js';

await survives(['pipelined-metrics']);
