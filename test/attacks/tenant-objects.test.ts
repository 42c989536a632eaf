import { survives } from './support/survives.js';

await survives(['tenant-objects']);
