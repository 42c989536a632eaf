import * as library from '@marcbachmann/cel-js';

/**
 * The library for CEL. In the bundles of the programs it is read when the first expression of CEL is
 * (scripts/bundle.mjs): few programs have any, and reading it takes 7 ms of the processor.
 */
export const celLibrary = (): typeof library => library;
