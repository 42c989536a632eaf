import { survivesTwiceItsCapacity } from './support/survives-overload.js';

await survivesTwiceItsCapacity('overload-reviews', [/^503 with Retry-After$/]);
