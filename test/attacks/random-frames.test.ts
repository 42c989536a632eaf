import { survives } from './support/survives.js';

await survives(['random-frames']);
