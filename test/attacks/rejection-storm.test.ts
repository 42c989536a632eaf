import { survives } from './support/survives.js';

await survives(['rejection-storm']);
