import type { Page } from './page.js';
import { createOverview } from './web/overview-page.js';

/**
 * Makes the pages of a program that has no pages for people but the first: a summary of the state, then all pages with
 * their parameters.
 *
 * @param title name of the program
 */
export function createDebugIndex(title: string, pages: readonly Page[]): Page {
  return createOverview({ title, links: [{ path: '/debug', label: 'Overview' }] }, pages);
}
