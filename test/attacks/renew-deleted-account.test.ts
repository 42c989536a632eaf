import { survives } from './support/survives.js';

await survives(['renew-deleted-account']);
