import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectRoot } from '../counterparts/project-root.js';

const SKIPPED_FOLDERS = new Set(['node_modules', 'build', 'coverage']);

/** All files of a folder whose names have one of the endings, relative to the repository's root. */
export function filesIn(folder: string, endings: readonly string[]): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || SKIPPED_FOLDERS.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path, endings);
    return endings.some((ending) => entry.name.endsWith(ending)) ? [relative(projectRoot(), path)] : [];
  });
}

/** Anchors as GitHub makes them of headings, and those that the text sets itself. */
export function anchorsIn(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const withoutFences = text.replace(/^ *(`{3,})[\s\S]*?^ *\1 *$/gm, '');
  for (const [, heading = ''] of withoutFences.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = slugOf(heading);
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  for (const [, id = ''] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

/** The anchors of a page, read from the file. */
export function anchorsOf(path: string): ReadonlySet<string> {
  return anchorsIn(readFileSync(path, 'utf8'));
}

function slugOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
}
