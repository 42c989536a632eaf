import { survives } from './support/survives.js';

await survives(['slow-metrics-readers']);
