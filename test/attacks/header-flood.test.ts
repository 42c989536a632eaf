import { survives } from './support/survives.js';

await survives(['header-flood']);
