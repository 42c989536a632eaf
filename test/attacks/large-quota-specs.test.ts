import { survives } from './support/survives.js';

await survives(['large-quota-specs']);
await survives(['large-quota-specs'], { scale: 10 });
