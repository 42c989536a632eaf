import { survives } from './support/survives.js';

await survives(['rapid-reset']);
