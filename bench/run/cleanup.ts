/** Cleanup steps of a run, done in reverse order. */
export class Cleanup {
  readonly #actions: (() => Promise<void>)[] = [];

  add(action: () => Promise<void>): void {
    this.#actions.push(action);
  }

  /** Undoes everything once. A failing action does not keep the others from running; the first failure is thrown. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (let action = this.#actions.pop(); action !== undefined; action = this.#actions.pop()) {
      await action().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}
