import fc from 'fast-check';

/**
 * fast-check, with the same cases in each run: a test fails because of a change, not because of the day. `FC_SEED` gives
 * other cases; `-1` gives new ones each time.
 */
const seed = Number(process.env['FC_SEED'] ?? 1);
if (seed !== -1) fc.configureGlobal({ seed });

export default fc;
