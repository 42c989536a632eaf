/** A token of the legacy syntax. */
export interface Token {
  readonly type: 'name' | 'int' | 'float' | 'string' | 'operator' | 'end';
  /** As written; of a string, its value. */
  readonly text: string;
  readonly offset: number;
}
