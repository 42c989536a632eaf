import { survives } from './support/survives.js';

await survives(['large-expressions-in-checks']);
await survives(['large-expressions-in-checks'], { scale: 10 });
