import { bool, oneOf } from '../values/scalar-types.js';
import type { FlagTable } from './setting.js';

const OUTPUT_FORMATS = ['', 'yaml', 'json'] as const;

/** What the `version` command is asked for. */
export interface VersionFlags {
  readonly output: (typeof OUTPUT_FORMATS)[number];
  readonly short: boolean;
}

/** The flags of the `version` command (SPEC 4.3). */
export const versionFlags: FlagTable<VersionFlags> = {
  output: {
    name: 'output',
    shorthand: 'o',
    // The wording is what BEHAVIOUR 2 gives for a bad value.
    type: {
      name: 'string',
      parse: (occurrences) => {
        const parsed = oneOf(OUTPUT_FORMATS).parse(occurrences);
        return parsed.ok ? parsed : { ok: false, allowed: "'yaml' or 'json'" };
      },
    },
    default: '',
    meaning: "One of 'yaml' or 'json'",
  },
  short: {
    name: 'short',
    shorthand: 's',
    type: bool,
    default: 'true',
    meaning: 'Use --short=false to generate full version information',
  },
};
