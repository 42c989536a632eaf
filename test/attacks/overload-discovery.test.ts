import { survivesTwiceItsCapacity } from './support/survives-overload.js';

await survivesTwiceItsCapacity('overload-discovery', [/^1 with status 8 NAV_XDS_MAX_\w+$/]);
