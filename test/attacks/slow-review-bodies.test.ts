import { survives } from './support/survives.js';

await survives(['slow-review-bodies']);
