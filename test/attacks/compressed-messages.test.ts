import { survives } from './support/survives.js';

await survives(['compressed-messages']);
