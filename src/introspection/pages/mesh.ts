import { json, type Page } from '../page.js';
import { requireContext } from '../views.js';

export const mesh: Page = {
  path: '/debug/mesh',
  description: 'The mesh config in force, with defaults',
  audience: 'operator',
  handle: (views) => json(requireContext(views).mesh),
};
