import { survives } from './support/survives.js';

await survives(['overload-certificates']);
