import { survives } from './support/survives.js';

await survives(['unread-streams']);
