/** Follows one setting beyond this process: counts refusals, and keeps the last usable content. */
export interface SettingsCustody {
  /** Settles with the last content that was in force; undefined when none is kept, or it cannot be read. */
  recall(): Promise<string | undefined>;
  /** Keeps a content that has come into force. */
  keep(text: string): void;
  /** Forgets the content: the setting exists nowhere, and an older content must not come back later. */
  forget(): void;
  /** Counts a refused content; called once for each. */
  refused(): void;
}
