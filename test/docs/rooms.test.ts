import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'ava';
import { projectRoot } from '../counterparts/project-root.js';

const { checkRooms } = (await import(`file://${join(projectRoot(), 'scripts/check-rooms.mjs')}`)) as {
  checkRooms(root: string): string[];
};

const HEAD = '# Architecture\n\n## Rooms\n\n| folder | role | may import |\n|---|---|---|\n';
const ROWS = {
  base: '| `base` | pure: shared by all | |',
  config: '| `config` | pure: kinds | |',
  model: '| `model` | pure: services | config |',
  analysis: '| `status/analysis` | pure: finds mistakes | model |',
  bootstrap: '| `bootstrap` | starts all parts | everything |',
};
const PURE = ['base', 'config', 'model', 'status/analysis'];
const FILES: Readonly<Record<string, string>> = {
  'base/clock.ts': '',
  'config/kinds.ts': "import type { Clock } from '../base/clock.js';\n",
  'model/store/stores.ts': "import { kinds } from '../../config/kinds.js';\n",
  'status/analysis/run.ts': "export type { Stores } from '../../model/store/stores.js';\n",
  'bootstrap/start.ts': "const { kinds } = await import('../config/kinds.js');\n",
};

/** What the check says of a project with these files, rows and pure rooms. */
function problemsOf({
  files = {},
  rows = Object.values(ROWS),
  pure = PURE,
}: {
  readonly files?: Readonly<Record<string, string>>;
  readonly rows?: readonly string[];
  readonly pure?: readonly string[];
}): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), 'rooms-'));
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  try {
    write('docs/architecture.md', `${HEAD}${rows.join('\n')}\n\n## Next\n\n| \`other\` | a table | x |\n`);
    write('biome.json', JSON.stringify({ overrides: [{ includes: pure.map((room) => `src/${room}/**`) }] }));
    for (const [name, text] of Object.entries({ ...FILES, ...files })) write(`src/${name}`, text);
    return checkRooms(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

test('every import of src/ is one that the table of rooms allows', (t) => {
  t.deepEqual(checkRooms(projectRoot()), []);
});

test('imports that the table allows are accepted', (t) => {
  t.deepEqual(problemsOf({}), []);
});

for (const [title, text] of [
  ['an import', "import { start } from '../bootstrap/start.js';\n"],
  ['an import of a type', "import type { Start } from '../bootstrap/start.js';\n"],
  ['an import over several lines', "import {\n  start,\n} from '../bootstrap/start.js';\n"],
  ['an export', "export { start } from '../bootstrap/start.js';\n"],
  ['an import at run time', "void import('../bootstrap/start.js');\n"],
] as const) {
  test(`${title} that the table does not allow is rejected with its file, line and row`, (t) => {
    const [problem = '', ...others] = problemsOf({ files: { 'config/kinds.ts': `// first line\n${text}` } });
    t.deepEqual(others, []);
    t.regex(problem, /^src\/config\/kinds\.ts:[234]: config may not import bootstrap: .* row `config` /);
  });
}

test('a folder with a row of its own is not part of the room around it', (t) => {
  const [problem = ''] = problemsOf({
    rows: [...Object.values(ROWS), '| `model/store` | pure: stores | |'],
    pure: [...PURE, 'model/store'],
    files: { 'model/proxy.ts': '' },
  });
  t.regex(problem, /^src\/model\/store\/stores\.ts:1: model\/store may not import config/);
});

test('base may import no other room', (t) => {
  const [problem = ''] = problemsOf({ files: { 'base/clock.ts': "import { kinds } from '../config/kinds.js';\n" } });
  t.regex(problem, /^src\/base\/clock\.ts:1: base may not import config/);
});

test('a folder without a row is rejected', (t) => {
  t.regex(problemsOf({ files: { 'extra/new.ts': '' } })[0] ?? '', /^src\/extra\/new\.ts: no room: add a row/);
});

test('a row without a folder, and a row that names no room, are rejected', (t) => {
  const problems = problemsOf({ rows: [...Object.values(ROWS), '| `gone` | was here | confg |'] });
  t.is(problems.length, 2);
  t.regex(problems[0] ?? '', /the row `gone` names "confg", which is no room/);
  t.regex(problems[1] ?? '', /src\/gone has no files/);
});

test('a pure room in which the linter does not forbid I/O is rejected', (t) => {
  const [problem = ''] = problemsOf({ pure: PURE.filter((room) => room !== 'model') });
  t.regex(problem, /src\/model\/\*\* is not among the pure rooms of biome\.json/);
});

test('a page without the table is rejected', (t) => {
  t.regex(problemsOf({ rows: [] })[0] ?? '', /the table "Rooms" has no rows/);
});
