import { json, type Page } from '../page.js';
import { requireContext } from '../require-context.js';

export const mesh: Page = {
  path: '/debug/mesh',
  description: 'The mesh config in force, defaults filled in',
  audience: 'operator',
  handle: (views) => json(requireContext(views).mesh),
};
