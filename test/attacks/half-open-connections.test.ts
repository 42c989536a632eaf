import { survives } from './support/survives.js';

await survives(['half-open-connections']);
