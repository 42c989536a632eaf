import { survives } from './support/survives.js';

await survives(['large-reviews']);
