// Compares every import between the rooms of src/ with the table "Rooms" of docs/architecture.md, part of npm run lint.
// A room may import itself, `base`, and the rooms that its row names.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const TABLE = 'docs/architecture.md';
const SHARED = 'base';
/** Written by the build, so its imports are not the concern of a reader, and it can be absent. */
const GENERATED = 'generated';
/** `from '…'` of imports and exports, `import '…'` and `import('…')`; types too. */
const SPECIFIER = /\b(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g;

/**
 * @param {string} root folder of the project
 * @returns {string[]} one line for each import that its room may not have, and for each mistake of the table
 */
export function checkRooms(root) {
  const rooms = readRooms(readFileSync(join(root, TABLE), 'utf8'));
  const source = join(root, 'src');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const problems = [...problemsOfTable(rooms), ...problemsOfPurity(root, rooms)];
  const seen = new Set();
  for (const file of files.map((name) => name.split(sep).join('/')).sort()) {
    const from = roomOf(file, rooms);
    if (from === undefined) {
      problems.push(`src/${file}: no room: add a row for its folder to the table "Rooms" of ${TABLE}`);
      continue;
    }
    seen.add(from);
    if (from === GENERATED) continue;
    const text = readFileSync(join(source, file), 'utf8');
    for (const { index, 1: specifier } of text.matchAll(SPECIFIER)) {
      const target = relative(source, resolve(source, dirname(file), specifier))
        .split(sep)
        .join('/');
      const to = roomOf(target, rooms);
      if (from === to || isAllowed(rooms.get(from), to)) continue;
      const line = text.slice(0, index).split('\n').length;
      problems.push(
        `src/${file}:${line}: ${from} may not import ${to ?? `src/${target}, which is in no room`}: ` +
          `import something else, or change the row \`${from}\` of the table "Rooms" of ${TABLE}`,
      );
    }
  }
  for (const room of rooms.keys()) {
    if (!seen.has(room) && room !== GENERATED) problems.push(`${TABLE}: src/${room} has no files: remove its row`);
  }
  return problems;
}

/** Rows of the table, by folder. */
function readRooms(page) {
  const [, section = ''] = page.split(/^## Rooms$/m);
  const rooms = new Map();
  for (const row of (section.split(/^## /m)[0] ?? '').split('\n')) {
    const [, folder, role, names] = /^\| `([^`]+)` \| (.*?) \|(?: (.*?))? \|$/.exec(row) ?? [];
    if (folder === undefined) continue;
    const allowed = (names ?? '').split(',').map((name) => name.trim());
    rooms.set(folder, {
      isPure: role.startsWith('pure:'),
      allowed: allowed.filter((name) => name !== ''),
    });
  }
  return rooms;
}

/** The narrowest room that holds the file. */
function roomOf(file, rooms) {
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    if (rooms.has(folder)) return folder;
  }
  return undefined;
}

function isAllowed({ allowed }, to) {
  return to !== undefined && (to === SHARED || allowed.includes(to) || allowed.includes('everything'));
}

function problemsOfTable(rooms) {
  if (rooms.size === 0) return [`${TABLE}: the table "Rooms" has no rows of the form | \`folder\` | role | rooms |`];
  return [...rooms].flatMap(([room, { allowed }]) =>
    allowed
      .filter((name) => name !== 'everything' && !rooms.has(name))
      .map((name) => `${TABLE}: the row \`${room}\` names ${JSON.stringify(name)}, which is no room`),
  );
}

/** One block of biome.json forbids I/O in pure rooms; it must list all of them. */
function problemsOfPurity(root, rooms) {
  const { overrides } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
  const linted = new Set(overrides.flatMap(({ includes }) => includes));
  return [...rooms].flatMap(([room, { isPure }]) =>
    isPure === linted.has(`src/${room}/**`)
      ? []
      : [
          `${TABLE}: the role of \`${room}\` ${isPure ? 'starts' : 'does not start'} with "pure:", but src/${room}/** ` +
            `${isPure ? 'is not' : 'is'} among the pure rooms of biome.json`,
        ],
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = checkRooms(dirname(dirname(fileURLToPath(import.meta.url))));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exit(1);
}
