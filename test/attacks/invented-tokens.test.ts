import { createTokenUser } from './support/probes/token-user.js';
import { survives } from './support/survives.js';

await survives(['invented-tokens'], { moreUsers: async (server) => [await createTokenUser(server)] });
