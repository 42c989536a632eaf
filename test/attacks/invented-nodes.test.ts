import { survives } from './support/survives.js';

await survives(['invented-nodes']);
