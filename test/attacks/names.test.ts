import assert from 'node:assert/strict';
import { survives } from './support/survives.js';

await survives(['names'], {
  after: async ({ metric }) => {
    assert.ok(((await metric('nav_xds_limits_met{limit="names"}')) ?? 0) > 0, 'the limit of names was met');
  },
});
