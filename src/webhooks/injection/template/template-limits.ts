/** How much a template may be, and do, for one pod. What is within them takes a few milliseconds. */
export interface TemplateLimits {
  /** Characters of a template, and of what is parsed while it renders. */
  readonly templateCharacters: number;
  /** Of one rendering, in milliseconds; when it is up, rendering is stopped wherever it is. */
  readonly renderMs: number;
  /** Characters and items that filters may make. */
  readonly memory: number;
  readonly outputCharacters: number;
  /** Of the filter `render` in what it renders. */
  readonly renderDepth: number;
}

export const TEMPLATE_LIMITS: TemplateLimits = {
  templateCharacters: 1024 * 1024,
  renderMs: 1000,
  memory: 16 * 1024 * 1024,
  outputCharacters: 1024 * 1024,
  renderDepth: 4,
};
