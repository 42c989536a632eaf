/** What looks after one setting beyond this process: counts refusals, keeps the last content that could be used. */
export interface SettingsCustody {
  /** Settles with the last content that was in force anywhere; undefined where none is kept or it cannot be had. */
  recall(): Promise<string | undefined>;
  /** This content is in force now. */
  keep(text: string): void;
  /** The setting is given nowhere, so that defaults are in force: an older content must not come back later. */
  forget(): void;
  /** The present content cannot be used; called once for each such content. */
  refused(): void;
}
