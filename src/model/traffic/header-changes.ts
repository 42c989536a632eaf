/** Changes of the headers of a message; removals come first. */
export interface HeaderOperations {
  /** Replaces what is there. */
  readonly set?: Readonly<Record<string, string>>;
  /** Beside what is there. */
  readonly add?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
}

export interface HeaderChanges {
  readonly request?: HeaderOperations;
  readonly response?: HeaderOperations;
}
