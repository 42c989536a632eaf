/** Compares a text; a `regex` must match all of it (RE2). */
export interface StringMatch {
  readonly type: 'exact' | 'prefix' | 'regex';
  readonly value: string;
}

/** A path. `segments` matches the path itself and all paths below it: `/a` also matches `/a/b`, but not `/ab`. */
export interface PathMatch {
  readonly type: StringMatch['type'] | 'segments';
  readonly value: string;
  /** Without effect on `regex`. */
  readonly ignoreCase?: true;
}

/** A header or query parameter. */
export interface NamedMatch {
  readonly name: string;
  /** Undefined: any value matches. */
  readonly value?: StringMatch;
}

export interface HeaderMatch extends NamedMatch {
  /** Matches requests without such a header. */
  readonly isNegated?: true;
}

/** The requests that a route is for: all of these conditions hold. */
export interface HttpMatch {
  readonly path: PathMatch;
  readonly scheme?: StringMatch;
  readonly method?: StringMatch;
  readonly authority?: StringMatch;
  readonly headers?: readonly HeaderMatch[];
  readonly queryParameters?: readonly NamedMatch[];
}

export const EVERY_REQUEST: HttpMatch = { path: { type: 'prefix', value: '/' } };
