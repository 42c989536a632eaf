import { survives } from './support/survives.js';

await survives(['ping-flood']);
